import { Button } from '@mantine/core'
import { CatchBoundary } from '@tanstack/react-router'
import { lazy, memo, Suspense, useCallback, useEffect, useRef, useState } from 'react'
import { ErrorNote } from '@/components/ErrorNote'
import type { ChartEvent } from '@/lib/chartMarks'
import type { TimeRange } from '@/lib/eventGroups'
import { TONE_COLOR } from '@/lib/tone'
import type { PlotProps } from './ChartPlot'
import classes from './chart.module.css'

const ChartPlot = lazy(() => import('./ChartPlot'))

type Props = Omit<PlotProps, 'events' | 'height' | 'format' | 'onPart'> & {
  /** Called with the part of the time that was selected with the mouse; with null once all of it is shown. */
  onPart?: (part: TimeRange | null) => void
  /** The accessible name, such as "Check-ins per second". */
  label: string
  /** Vertical lines; an EventLane names them. */
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
  const { label, events = NO_EVENTS, height = 200, format = String, onPart, ...plot } = props
  const { data, series } = plot
  const values = useRef<(HTMLElement | null)[]>([])
  const [showAll, setShowAll] = useState<(() => void) | null>(null)
  const partChosen = useCallback(
    (part: TimeRange | null, reset: () => void) => {
      if (onPart) onPart(part)
      else setShowAll(() => part && reset)
    },
    [onPart],
  )

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
        {showAll && (
          <Button variant="default" size="compact-xs" onClick={showAll}>
            Show all
          </Button>
        )}
      </figcaption>
      <CatchBoundary getResetKey={() => label} errorComponent={ErrorNote}>
        <Suspense fallback={<div style={{ height }} />}>
          <ChartPlot {...plot} events={events} height={height} format={format} onPart={partChosen} />
        </Suspense>
      </CatchBoundary>
    </figure>
  )
})
