import { Button } from '@mantine/core'
import { CatchBoundary } from '@tanstack/react-router'
import { lazy, memo, Suspense, useEffect, useRef, useState } from 'react'
import { ErrorNote } from '@/components/ErrorNote'
import type { ChartEvent } from '@/lib/chartMarks'
import type { TimeRange } from '@/lib/eventGroups'
import { TONE_COLOR } from '@/lib/tone'
import type { PlotProps } from './ChartPlot'
import classes from './chart.module.css'

const ChartPlot = lazy(() => import('./ChartPlot'))

type Props = Omit<PlotProps, 'events' | 'height' | 'format' | 'part' | 'onPart'> & {
  /** The part of the time that is shown and what changes it (useTimePart); left out, the chart keeps its own. */
  part?: TimeRange | null
  onPart?: (part: TimeRange | null) => void
  /** The accessible name, such as "Check-ins per second". */
  label: string
  /** Vertical lines; the EventLane that names them also leads back from a part of the time to all of it. */
  events?: readonly ChartEvent[]
  height?: number
  format?: (value: number) => string
}

const NO_EVENTS: readonly ChartEvent[] = []

/**
 * A line chart of a buffer that may change many times a second; React renders it once.
 *
 * The drawing code is loaded on first use; the newest values are there without it.
 */
export const Chart = memo(function Chart(props: Props) {
  const [ownPart, setOwnPart] = useState<TimeRange | null>(null)
  const { label, events, height = 200, format = String, part = ownPart, onPart = setOwnPart, ...plot } = props
  const { data, series } = plot
  const values = useRef<(HTMLElement | null)[]>([])

  useEffect(() => {
    const write = () => {
      const latest = data.latest()
      values.current.forEach((node, index) => {
        const value = latest[index]
        if (node) node.textContent = value === null || value === undefined ? '–' : format(value)
      })
    }
    write()
    return data.subscribe(write)
  }, [data, series, format])

  return (
    <figure className={classes.chart} aria-label={label}>
      <figcaption className={classes.legend}>
        {series.map(({ label: name, tone, dash, hidden }, index) =>
          hidden ? null : (
            <span key={name} className={classes.item}>
              <svg width="16" height="8" aria-hidden="true">
                <line
                  x1="0"
                  y1="4"
                  x2="16"
                  y2="4"
                  strokeWidth="2"
                  strokeDasharray={dash?.join(' ')}
                  style={{ stroke: TONE_COLOR[tone] }}
                />
                {/* prettier-ignore */}
              </svg>
              {name}
              <strong
                ref={(node) => {
                  values.current[index] = node
                }}
              />
            </span>
          ),
        )}
        {part && !events && (
          <Button variant="default" size="compact-xs" onClick={() => onPart(null)}>
            Show all
          </Button>
        )}
      </figcaption>
      <CatchBoundary getResetKey={() => label} errorComponent={ErrorNote}>
        <Suspense fallback={<div style={{ height }} />}>
          <ChartPlot
            {...plot}
            events={events ?? NO_EVENTS}
            height={height}
            format={format}
            part={part}
            onPart={onPart}
          />
        </Suspense>
      </CatchBoundary>
    </figure>
  )
})
