import { curvePoints } from '@/lib/curve'
import classes from './drawn.module.css'

const WIDTH = 96
const HEIGHT = 20

type Props = {
  values: readonly number[]
  /** What it shows, in words. */
  label: string
  /** The curve stands on zero, as for counts. */
  fromZero?: boolean
}

/** A small curve in a cell. */
export function Sparkline({ values, label, fromZero = false }: Props) {
  return (
    <svg
      className={classes.sparkline}
      viewBox={`-1 -1 ${WIDTH + 2} ${HEIGHT + 2}`}
      width={WIDTH}
      height={HEIGHT}
      role="img"
      aria-label={label}
    >
      <polyline points={curvePoints(values, WIDTH, HEIGHT, fromZero)} />
    </svg>
  )
}
