import 'uplot/dist/uPlot.min.css'
import { Button, useComputedColorScheme } from '@mantine/core'
import { memo, useEffect, useRef, useState } from 'react'
import uPlot from 'uplot'
import type { ChartEvent } from '@/lib/chartMarks'
import { chartOptions, type ChartSeries } from '@/lib/chartOptions'
import type { SeriesBuffer } from '@/lib/seriesBuffer'
import { absoluteTime } from '@/lib/time'
import { TONE_COLOR } from '@/lib/tone'
import classes from './chart.module.css'

type Props = {
  /** The accessible name, such as "Check-ins per second". */
  label: string
  data: SeriesBuffer
  /** One entry per column of the data; pass the same array in each rendering. */
  series: readonly ChartSeries[]
  /** Vertical lines. */
  events?: readonly ChartEvent[]
  /** A horizontal line. */
  limit?: { at: number; label: string } | undefined
  /** The indexes of the two series that bound a region, such as a confidence sequence. */
  band?: { lower: number; upper: number } | undefined
  height?: number
  format?: (value: number) => string
  /** The value axis covers at least this range. */
  range?: [number, number | null]
  /** The distances that values on the axis may have; those of decimal numbers by default. Pass the same array. */
  steps?: number[]
  /** Charts of a group share their cursor. */
  group?: string
}

const NO_EVENTS: readonly ChartEvent[] = []

/** A line chart of a buffer that may change many times a second; React renders it once. */
export const Chart = memo(function Chart(props: Props) {
  const {
    label,
    data,
    series,
    events = NO_EVENTS,
    limit,
    band,
    height = 200,
    format = String,
    range,
    steps,
    group,
  } = props
  const place = useRef<HTMLDivElement>(null)
  const tip = useRef<HTMLDivElement>(null)
  const values = useRef<(HTMLElement | null)[]>([])
  const scheme = useComputedColorScheme()
  const marks = useRef({ events, limit })
  const plot = useRef<uPlot | null>(null)
  const [isPart, setIsPart] = useState(false)

  useEffect(() => {
    marks.current = { events, limit }
    plot.current?.redraw(false)
  }, [events, limit])

  useEffect(() => {
    const element = place.current
    if (!element) return
    const options = chartOptions({
      element, series, band, height, format, range, steps, group,
      marks: () => marks.current,
      tip: () => tip.current,
      onPart: setIsPart,
    }) // prettier-ignore
    const drawn = new uPlot(options, data.columns, element)
    plot.current = drawn
    const draw = () => {
      drawn.setData(data.columns)
      const latest = data.latest()
      values.current.forEach((node, index) => {
        const value = latest[index]
        if (node) node.textContent = value === null || value === undefined ? '–' : format(value)
      })
    }
    draw()
    const stop = data.subscribe(draw)
    const resized = new ResizeObserver(() => drawn.setSize({ width: element.clientWidth, height }))
    resized.observe(element)
    return () => {
      stop()
      resized.disconnect()
      drawn.destroy()
      plot.current = null
      setIsPart(false)
    }
    // The scheme is a dependency because a canvas does not follow the page's colours by itself.
  }, [data, series, band, height, format, range, steps, group, scheme])

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
        {isPart && (
          <Button variant="default" size="compact-xs" onClick={() => showAll(plot.current)}>
            Show all
          </Button>
        )}
      </figcaption>
      {events.length > 0 && (
        <ul className="visually-hidden" aria-label="Events">
          {events.map((event, index) => (
            <li key={index}>
              {event.label}, {absoluteTime(event.at * 1000)}
            </li>
          ))}
        </ul>
      )}
      <div ref={place} className={classes.place} style={{ height }} />
      <div ref={tip} className={classes.tip} hidden />
    </figure>
  )
})

/** Resets the zoom of all charts of the group, as a double click does. */
function showAll(plot: uPlot | null): void {
  plot?.over.dispatchEvent(new MouseEvent('dblclick'))
}
