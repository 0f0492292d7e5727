import { TONE_COLOR, type Tone } from '@/lib/tone'
import { placeOf, runTime, ticksOf, type ClassRuns, type Quantiles, type Scale } from './runs'
import classes from './task.module.css'

const WIDTH = 320
const HEIGHT = 34
const EDGE = 8
const ROWS = { cold: 10, warm: 24 } as const
export const START_TONES: Record<'cold' | 'warm', Tone> = { cold: 'attention', warm: 'running' }

/** Run times on a logarithmic scale: a dot at the median, a stroke at p90, a line up to p99; cold above warm. */
export function RunRanges({ runs, scale }: { runs: ClassRuns; scale: Scale }) {
  const starts = (['cold', 'warm'] as const).flatMap((start) => {
    const times = runs[start].duration_ms
    return times === null ? [] : [{ start, times }]
  })
  const label = starts.map(({ start, times }) => `${start}: ${timesText(times)}`).join('; ') || 'no run times'
  return (
    <svg width={WIDTH} height={HEIGHT} role="img" aria-label={label}>
      <Grid scale={scale} />
      {starts.map(({ start, times }) => (
        <Range key={start} times={times} y={ROWS[start]} tone={START_TONES[start]} scale={scale} />
      ))}
    </svg>
  )
}

/** "4.1 / 5 / 7.2 ms" */
export function timesText({ p50, p90, p99 }: Quantiles): string {
  return [p50, p90, p99].map(runTime).join(' / ')
}

function Range({ times, y, tone, scale }: { times: Quantiles; y: number; tone: Tone; scale: Scale }) {
  const [median, most, longest] = [times.p50, times.p90, times.p99].map((time) => xOf(time, scale))
  const color = TONE_COLOR[tone]
  return (
    <g style={{ stroke: color, fill: color }}>
      <line x1={median} x2={longest} y1={y} y2={y} strokeWidth={2} />
      <line x1={most} x2={most} y1={y - 4} y2={y + 4} strokeWidth={2} />
      <circle cx={median} cy={y} r={4} />
    </g>
  )
}

function Grid({ scale }: { scale: Scale }) {
  return ticksOf(scale).map((tick) => (
    <line key={tick} className={classes.grid} x1={xOf(tick, scale)} x2={xOf(tick, scale)} y1={0} y2={HEIGHT} />
  ))
}

/** The scale below the ranges. */
export function RunAxis({ scale }: { scale: Scale }) {
  const ticks = ticksOf(scale)
  return (
    <svg width={WIDTH} height={14} aria-hidden="true" className={classes.axis}>
      {ticks.map((tick, index) => (
        <text key={tick} x={xOf(tick, scale)} y={11} textAnchor={anchorOf(index, ticks.length)}>
          {runTime(tick)}
        </text>
      ))}
    </svg>
  )
}

function anchorOf(index: number, ticks: number): 'start' | 'middle' | 'end' {
  if (index === 0) return 'start'
  return index === ticks - 1 ? 'end' : 'middle'
}

function xOf(milliseconds: number, scale: Scale): number {
  return EDGE + placeOf(milliseconds, scale) * (WIDTH - 2 * EDGE)
}
