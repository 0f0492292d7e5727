import { dollars } from './answer'
import classes from './placement.module.css'

const WIDTH = 480
const HEIGHT = 132
const LEFT = 56
const BOTTOM = 22

type FrontierDot = { x: number; y: number; changed: boolean }
type Props = { label: string; points: readonly FrontierDot[]; current: number; steps: boolean }

/** A frontier as a line; dots are where the plan changes. With `steps`, nothing lies between two points. */
export function FrontierLine({ label, points, current, steps }: Props) {
  const xs = points.map(({ x }) => x)
  const [low, high, top] = [Math.min(...xs), Math.max(...xs), Math.max(...points.map(({ y }) => y))]
  const across = (x: number) => LEFT + ((x - low) / (high - low || 1)) * (WIDTH - LEFT - 12)
  const down = (y: number) => 10 + (1 - y / (top || 1)) * (HEIGHT - BOTTOM - 10)
  const line = points
    .map(({ x, y }, index) => {
      if (index === 0) return `M${across(x)},${down(y)}`
      return steps ? `V${down(y)}H${across(x)}` : `L${across(x)},${down(y)}`
    })
    .join('')
  const shown = points[current]
  return (
    <svg className={classes.frontier} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={label}>
      <line className={classes.axis} x1={LEFT} x2={WIDTH} y1={down(0)} y2={down(0)} />
      <text className={classes.boxNote} x={LEFT - 6} y={down(top) + 4} textAnchor="end">
        {dollars(top)}
      </text>
      <text className={classes.boxNote} x={LEFT - 6} y={down(0) + 4} textAnchor="end">
        $0
      </text>
      <text className={classes.boxNote} x={LEFT} y={HEIGHT - 6}>
        {trimmed(low)}
      </text>
      <text className={classes.boxNote} x={WIDTH - 4} y={HEIGHT - 6} textAnchor="end">
        {trimmed(high)}
      </text>
      <path className={classes.frontierLine} d={line} />
      {points.map(
        ({ x, y, changed }) =>
          changed && <circle key={x} className={classes.change} cx={across(x)} cy={down(y)} r={3} />,
      )}
      {shown && <circle className={classes.here} cx={across(shown.x)} cy={down(shown.y)} r={6} />}
    </svg>
  )
}

function trimmed(value: number): string {
  return String(Number(value.toFixed(2)))
}
