import 'uplot/dist/uPlot.min.css'
import { useComputedColorScheme } from '@mantine/core'
import { useEffect, useRef } from 'react'
import uPlot from 'uplot'
import type { ChartEvent } from '@/lib/chartMarks'
import { chartOptions, type ChartSeries, type Spread } from '@/lib/chartOptions'
import type { TimeRange } from '@/lib/eventGroups'
import type { SeriesBuffer } from '@/lib/seriesBuffer'
import classes from './chart.module.css'

export type PlotProps = {
  data: SeriesBuffer
  /** One entry per column of the data; pass the same array in each rendering. */
  series: readonly ChartSeries[]
  /** Vertical lines. */
  events: readonly ChartEvent[]
  /** A horizontal line. */
  limit?: { at: number; label: string } | undefined
  /** The indexes of the two series that bound a region, such as a confidence sequence. */
  band?: { lower: number; upper: number } | undefined
  height: number
  format: (value: number) => string
  /** The value axis covers at least this range. */
  range?: [number, number | null]
  /** The distances that values on the axis may have; those of decimal numbers by default. Pass the same array. */
  steps?: number[]
  /** Values above `from` are drawn by their magnitude, those below evenly; `marks` are on the axis. Pass the same one. */
  spread?: Spread
  /** Charts of a group share their cursor. */
  group?: string
  /** The part of the time that is shown; null for all. */
  part: TimeRange | null
  /** Called with the part of the time that is selected with the mouse; with null to show all. Pass the same function. */
  onPart: (part: TimeRange | null) => void
}

/** The canvas of a chart, its cursor and its zoom. */
export default function ChartPlot(props: PlotProps) {
  const { data, series, events, limit, band, height, format, range, steps, spread, group, part, onPart } = props
  const place = useRef<HTMLDivElement>(null)
  const tip = useRef<HTMLDivElement>(null)
  const scheme = useComputedColorScheme()
  const marks = useRef({ events, limit })
  const plot = useRef<uPlot | null>(null)
  const shown = useRef(part)

  useEffect(() => {
    marks.current = { events, limit }
    plot.current?.redraw(false)
  }, [events, limit])

  useEffect(() => {
    const element = place.current
    if (!element) return
    const options = chartOptions({
      element, series, band, height, format, range, steps, spread, group,
      marks: () => marks.current,
      tip: () => tip.current,
      part: () => shown.current,
      onPart,
    }) // prettier-ignore
    const drawn = new uPlot(options, data.columns, element)
    plot.current = drawn
    const stop = data.subscribe(() => drawn.setData(data.columns))
    const resized = new ResizeObserver(() => drawn.setSize({ width: element.clientWidth, height }))
    resized.observe(element)
    return () => {
      stop()
      resized.disconnect()
      drawn.destroy()
      plot.current = null
    }
    // The scheme is a dependency because a canvas does not follow the page's colours by itself.
  }, [data, series, band, height, format, range, steps, spread, group, scheme, onPart])

  useEffect(() => {
    shown.current = part
    plot.current?.setData(data.columns)
  }, [part, data])

  return (
    <>
      <div ref={place} className={classes.place} style={{ height }} />
      <div ref={tip} className={classes.tip} hidden />
    </>
  )
}
