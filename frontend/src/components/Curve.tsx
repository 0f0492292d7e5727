import { useElementSize } from '@mantine/hooks'
import classes from './drawn.module.css'

/** In pixels, before the width is known. */
const USUAL_WIDTH = 480
const HEIGHT = 132
const LEFT = 56
const BOTTOM = 22

type Dot = { x: number; y: number; isMarked: boolean }
type Props = {
  /** What it shows, in words. */
  label: string
  /** From left to right; at least one. */
  points: readonly Dot[]
  /** The index of the one with a ring around it. */
  current: number
  /** Whether nothing lies between two points. */
  steps: boolean
  /** A value in words; 0 too. */
  format: (y: number) => string
}

/**
 * A line through a few points, some of them with a dot. Values that differ by less than half of the highest are drawn
 * from the lowest one on, others from 0.
 */
export function Curve({ label, points, current, steps, format }: Props) {
  const { ref, width: measured } = useElementSize()
  const width = measured || USUAL_WIDTH
  const xs = points.map(({ x }) => x)
  const ys = points.map(({ y }) => y)
  const [low, high, top, least] = [Math.min(...xs), Math.max(...xs), Math.max(...ys), Math.min(...ys)]
  const bottom = least < top && least > top / 2 ? least : 0
  const across = (x: number) => LEFT + ((x - low) / (high - low || 1)) * (width - LEFT - 12)
  const down = (y: number) => 10 + (1 - (y - bottom) / (top - bottom || 1)) * (HEIGHT - BOTTOM - 10)
  const line = points
    .map(({ x, y }, index) => {
      if (index === 0) return `M${across(x)},${down(y)}`
      return steps ? `V${down(y)}H${across(x)}` : `L${across(x)},${down(y)}`
    })
    .join('')
  const shown = points[current]
  return (
    <div ref={ref}>
      <svg width="100%" height={HEIGHT} role="img" aria-label={label}>
        <line className={classes.axis} x1={LEFT} x2={width} y1={down(bottom)} y2={down(bottom)} />
        <text className={classes.axisText} x={LEFT - 6} y={down(top) + 4} textAnchor="end">
          {format(top)}
        </text>
        <text className={classes.axisText} x={LEFT - 6} y={down(bottom) + 4} textAnchor="end">
          {format(bottom)}
        </text>
        <text className={classes.axisText} x={LEFT} y={HEIGHT - 6}>
          {trimmed(low)}
        </text>
        <text className={classes.axisText} x={width - 4} y={HEIGHT - 6} textAnchor="end">
          {trimmed(high)}
        </text>
        <path className={classes.curve} d={line} />
        {points.map(
          ({ x, y, isMarked }) =>
            isMarked && <circle key={x} className={classes.dot} cx={across(x)} cy={down(y)} r={3} />,
        )}
        {shown && <circle className={classes.ring} cx={across(shown.x)} cy={down(shown.y)} r={6} />}
      </svg>
    </div>
  )
}

function trimmed(value: number): string {
  return String(Number(value.toFixed(2)))
}
