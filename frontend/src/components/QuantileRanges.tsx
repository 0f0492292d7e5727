import { placeOf, ticksOf, type Quantiles, type Scale } from '@/lib/logScale'
import { TONE_COLOR, type Tone } from '@/lib/tone'
import classes from './drawn.module.css'

const WIDTH = 320
const EDGE = 8
const ROW = 14
const FIRST = 10

type Range = { name: string; tone: Tone; of: Quantiles | null }
type Props = {
  /** One below the other; one without values keeps its place. */
  ranges: readonly Range[]
  scale: Scale
  /** The quantiles in words. */
  format: (of: Quantiles) => string
}

/** Distributions on a logarithmic scale: a dot at the median, a stroke at p90, a line up to p99. */
export function QuantileRanges({ ranges, scale, format }: Props) {
  const height = FIRST + ROW * ranges.length - 4
  const said = ranges.flatMap(({ name, of }) => (of === null ? [] : [`${name}: ${format(of)}`]))
  return (
    <svg width={WIDTH} height={height} role="img" aria-label={said.join('; ') || 'no values'}>
      {ticksOf(scale).map((tick) => (
        <line key={tick} className={classes.axis} x1={xOf(tick, scale)} x2={xOf(tick, scale)} y1={0} y2={height} />
      ))}
      {ranges.map(
        ({ name, tone, of }, row) => of && <Mark key={name} of={of} y={FIRST + ROW * row} tone={tone} scale={scale} />,
      )}
    </svg>
  )
}

function Mark({ of, y, tone, scale }: { of: Quantiles; y: number; tone: Tone; scale: Scale }) {
  const [median, most, longest] = [of.p50, of.p90, of.p99].map((value) => xOf(value, scale))
  const color = TONE_COLOR[tone]
  return (
    <g style={{ stroke: color, fill: color }}>
      <line x1={median} x2={longest} y1={y} y2={y} strokeWidth={2} />
      <line x1={most} x2={most} y1={y - 4} y2={y + 4} strokeWidth={2} />
      <circle cx={median} cy={y} r={4} />
    </g>
  )
}

/** The scale below the ranges. */
export function RangeAxis({ scale, format }: { scale: Scale; format: (value: number) => string }) {
  const ticks = ticksOf(scale)
  return (
    <svg width={WIDTH} height={14} aria-hidden="true" className={classes.axisText}>
      {ticks.map((tick, index) => (
        <text key={tick} x={xOf(tick, scale)} y={11} textAnchor={anchorOf(index, ticks.length)}>
          {format(tick)}
        </text>
      ))}
    </svg>
  )
}

type LegendProps = { ranges: readonly Pick<Range, 'name' | 'tone'>[] }

/** What the marks mean. */
export function RangeLegend({ ranges }: LegendProps) {
  return (
    <p className={classes.legend}>
      {ranges.map(({ name, tone }) => (
        <span key={name}>
          <svg width="24" height="10" aria-hidden="true" style={{ stroke: TONE_COLOR[tone], fill: TONE_COLOR[tone] }}>
            <line x1="5" x2="24" y1="5" y2="5" strokeWidth="2" />
            <circle cx="5" cy="5" r="4" />
          </svg>
          {name}
        </span>
      ))}
      <span className="muted">a dot at the median, a stroke at nine tenths, a line up to 99 of 100 runs</span>
    </p>
  )
}

function anchorOf(index: number, ticks: number): 'start' | 'middle' | 'end' {
  if (index === 0) return 'start'
  return index === ticks - 1 ? 'end' : 'middle'
}

function xOf(value: number, scale: Scale): number {
  return EDGE + placeOf(value, scale) * (WIDTH - 2 * EDGE)
}
