/** Options that make uPlot use the tokens' colours. */
import uPlot from 'uplot'
import { CHART_FONT, drawMarks, type Marks } from './chartMarks'
import type { TimeRange } from './eventGroups'
import { absoluteTime, timeZone, zoned } from './time'
import type { Tone } from './tone'

export type ChartSeries = {
  label: string
  tone: Tone
  /** Lengths of dash and gap, which distinguish lines without colours. */
  dash?: number[]
  /** Neither drawn nor named, as for the bounds of a band. */
  hidden?: boolean
  /** Draws steps instead of lines: a value holds until the next. */
  stepped?: boolean
  /** Fills the area below. */
  filled?: boolean
}

/** An axis that is even up to `from`, and by magnitude above it. */
export type Spread = { from: number; marks: readonly number[] }

type ChartConfig = {
  element: HTMLElement
  series: readonly ChartSeries[]
  band: { lower: number; upper: number } | undefined
  height: number
  format: (value: number) => string
  range: [number, number | null] | undefined
  steps: number[] | undefined
  spread: Spread | undefined
  group: string | undefined
  marks: () => Marks
  tip: () => HTMLElement | null
  /** The part of the time that is shown; null for all. It stays when live data arrive. */
  part: () => TimeRange | null
  /** Called with the part of the time that is selected with the mouse; with null on a double click, for all. */
  onPart: (part: TimeRange | null) => void
}

const NEAR_PX = 6
const NO_SELECTION = { left: 0, top: 0, width: 0, height: 0 }
/** Distances between ticks of time, in seconds, at least one. */
const TICKS_S = [
  1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400, 172_800, 604_800,
]

export function chartOptions(config: ChartConfig): uPlot.Options {
  const color = colorsOf(config.element)
  const axis: uPlot.Axis = {
    stroke: color('--muted'),
    font: CHART_FONT,
    grid: { stroke: color('--line'), width: 1 },
    ticks: { stroke: color('--line'), width: 1, size: 4 },
  }
  return {
    width: Math.max(100, config.element.clientWidth),
    height: config.height,
    legend: { show: false },
    // Ticks stand at full hours and days of the zone in which times are shown.
    tzDate: (at) => uPlot.tzDate(new Date(at * 1000), timeZone()),
    cursor: {
      y: false,
      drag: { x: true, y: false, setScale: false },
      bind: {
        mouseup: (plot, _element, handle) => (event) => {
          const chosen = selectedPart(plot)
          handle(event)
          if (event.button === 0 && chosen) config.onPart(chosen)
          return null
        },
        dblclick: () => () => {
          config.onPart(null)
          return null
        },
      },
      ...(config.group ? { sync: { key: config.group } } : {}),
    },
    axes: [
      { ...axis, size: 28, values: clock, incrs: TICKS_S, space: 64 },
      {
        ...axis,
        size: 52,
        values: (_plot, splits) => splits.map((value) => config.format(value)),
        ...(config.steps && { incrs: config.steps }),
        ...(config.spread && spreadAxis(config.spread)),
      },
    ],
    scales: {
      x: { range: (_plot, first, last) => [...(config.part() ?? [first, last])] as [number, number] },
      y: {
        range: (_plot, low, high) => valueRange(low, high, config.marks().limit?.at, config.range),
        ...(config.spread && { ...ARCSINH, asinh: config.spread.from }),
      },
    },
    series: [{}, ...config.series.map((each) => seriesOptions(each, color))],
    ...(config.band
      ? { bands: [{ series: [config.band.upper + 1, config.band.lower + 1], fill: faint(color('--running')) }] }
      : {}),
    hooks: {
      draw: [(plot) => drawMarks(plot, config.marks(), color, config.format)],
      setCursor: [(plot) => showTip(plot, config)],
      // Called in all charts of the group once the mouse is up.
      setSelect: [(plot) => plot.setSelect(NO_SELECTION, false)],
    },
  }
}

/** The distribution that uPlot calls ArcSinh; its enum exists only as a type. */
const ARCSINH = { distr: 4 } as unknown as uPlot.Scale
const MARK_PX = 18

/** Returns the marks of a spread axis; of those that would stand too near each other, the higher one. */
function spreadAxis({ marks }: Spread): Partial<uPlot.Axis> {
  return {
    splits: (plot, _axis, low, high) => {
      const shown: number[] = []
      let last = Number.POSITIVE_INFINITY
      for (const mark of marks.filter((each) => each >= low && each <= high).reverse()) {
        const y = plot.bbox.height - plot.valToPos(mark, 'y')
        if (last - y < MARK_PX) continue
        shown.unshift(mark)
        last = y
      }
      return shown
    },
    filter: (_plot, splits) => splits,
  }
}

/** Computes the range from the data, the limit and the required range, with some padding. */
export function valueRange(
  low: number | null,
  high: number | null,
  limit: number | undefined,
  least: [number, number | null] | undefined,
): [number, number] {
  const bottom = Math.min(low ?? 0, limit ?? Number.POSITIVE_INFINITY, least?.[0] ?? 0)
  const top = Math.max(high ?? 0, limit ?? Number.NEGATIVE_INFINITY, least?.[1] ?? Number.NEGATIVE_INFINITY)
  return top > bottom ? [bottom, top + (top - bottom) * 0.08] : [bottom, bottom + 1]
}

function selectedPart(plot: uPlot): TimeRange | null {
  const { left, width } = plot.select
  return width > 0 ? [plot.posToVal(left, 'x'), plot.posToVal(left + width, 'x')] : null
}

function seriesOptions(series: ChartSeries, color: (name: string) => string): uPlot.Series {
  const stroke = color(series.tone === 'none' ? '--muted' : `--${series.tone}`)
  return {
    label: series.label,
    width: series.hidden ? 0 : 1.5,
    points: { show: false, filter: (plot, index) => alone(plot.data[index] ?? []), size: 4, fill: stroke },
    stroke: series.hidden ? 'transparent' : stroke,
    ...(series.filled ? { fill: faint(stroke) } : {}),
    ...(series.dash ? { dash: series.dash } : {}),
    ...(series.stepped && uPlot.paths.stepped ? { paths: uPlot.paths.stepped({ align: 1 }) } : {}),
  }
}

/** Returns the indexes of values without a neighbour: no line leads to them, so they are drawn as points. */
export function alone(values: ArrayLike<number | null | undefined>): number[] | null {
  const found = []
  for (let index = 0; index < values.length; index++) {
    if (values[index] != null && values[index - 1] == null && values[index + 1] == null) found.push(index)
  }
  return found.length > 0 ? found : null
}

function showTip(plot: uPlot, config: ChartConfig): void {
  const tip = config.tip()
  const { idx, left } = plot.cursor
  const at = idx === null || idx === undefined ? undefined : plot.data[0][idx]
  if (!tip) return
  tip.hidden = at === undefined || left === undefined || left < 0
  if (tip.hidden || at === undefined || left === undefined) return
  const lines = config.series.flatMap((series, index) => {
    const value = plot.data[index + 1]?.[idx ?? 0]
    return series.hidden || value === null || value === undefined ? [] : [`${series.label}  ${config.format(value)}`]
  })
  const near = config.marks().events.filter((event) => Math.abs(plot.valToPos(event.at, 'x') - left) <= NEAR_PX)
  tip.textContent = [absoluteTime(at * 1000), ...near.map((event) => event.label), ...lines].join('\n')
  const offset = plot.over.offsetLeft + left + 12
  const fits = offset + tip.offsetWidth <= config.element.clientWidth
  tip.style.transform = `translateX(${Math.max(0, fits ? offset : offset - tip.offsetWidth - 24)}px)`
}

const TIME: Intl.DateTimeFormatOptions = { hour: '2-digit', minute: '2-digit' }
const CLOCKS = {
  seconds: zoned('en-GB', { ...TIME, second: '2-digit' }),
  minutes: zoned('en-GB', TIME),
  days: zoned('en-GB', { day: 'numeric', month: 'short' }),
}
const MIDNIGHT = '00:00:00'

/** Formats times of an axis, in seconds since 1970: as short as their distance allows; a day begins with its date. */
export function clock(_plot: unknown, splits: number[], _axis: number, _space: number, step: number): string[] {
  const usual = CLOCKS[step < 60 ? 'seconds' : step < 86_400 ? 'minutes' : 'days']
  return splits.map((at) => {
    const isMidnight = CLOCKS.seconds(at * 1000) === MIDNIGHT
    return (isMidnight ? CLOCKS.days : usual)(at * 1000)
  })
}

function colorsOf(element: HTMLElement): (name: string) => string {
  const style = getComputedStyle(element)
  return (name) => style.getPropertyValue(name).trim()
}

function faint(color: string): string {
  return `color-mix(in srgb, ${color} 16%, transparent)`
}
