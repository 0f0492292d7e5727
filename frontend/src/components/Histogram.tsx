import { count, plural } from '@/lib/format'
import classes from './drawn.module.css'

const [WIDTH, HEIGHT, AXIS] = [400, 96, 16]

type Props = {
  /** How many numbers are in each of equally wide ranges from the least to the most. */
  counts: readonly number[]
  least: number
  most: number
}

/** How many numbers are in each range, with a bar for each. */
export function Histogram({ counts, least, most }: Props) {
  const highest = Math.max(...counts)
  const step = WIDTH / counts.length
  const label = `Numbers from ${number(least)} to ${number(most)}, at most ${count(highest)} in one of ${plural(counts.length, 'range')}`
  return (
    <svg viewBox={`0 0 ${WIDTH} ${HEIGHT + AXIS}`} className={classes.histogram} role="img" aria-label={label}>
      {counts.map((some, index) => {
        // What is there stays visible beside what is most.
        const height = some === 0 ? 0 : Math.max(1, (HEIGHT * some) / highest)
        return <rect key={index} x={index * step} y={HEIGHT - height} width={Math.max(1, step - 1)} height={height} />
      })}
      <line x1={0} x2={WIDTH} y1={HEIGHT} y2={HEIGHT} />
      <text x={0} y={HEIGHT + AXIS - 3}>
        {number(least)}
      </text>
      <text x={WIDTH} y={HEIGHT + AXIS - 3} textAnchor="end">
        {number(most)}
      </text>
    </svg>
  )
}

/** "0.1235" */
export function number(value: number): string {
  return Number(value.toPrecision(4)).toString()
}
