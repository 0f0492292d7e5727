import { useMemo } from 'react'
import { percent, plural } from '@/lib/format'
import { drawingOf, type Box } from './tiers'
import type { Plan, Problem } from './answer'
import classes from './placement.module.css'

const BOX = { width: 176, height: 58 }
const GAP = { x: 64, y: 22 }
const LABEL = 84
const PAD = 14

/** A plan over the tiers: what runs where, the highest tier on top. */
export function TierDrawing({ problem, plan }: { problem: Problem; plan: Plan }) {
  const drawing = useMemo(() => drawingOf(problem, plan), [problem, plan])
  const places = useMemo(() => placesOf(drawing.boxes), [drawing])
  const lanes = drawing.lanes.map((name, lane) => ({ name, rows: rowsOf(drawing.boxes, lane) }))
  const tops = lanes.map((_, lane) => lanes.slice(0, lane).reduce((sum, { rows }) => sum + laneHeight(rows), 0))
  const width = LABEL + drawing.columns * (BOX.width + GAP.x)
  const height = lanes.reduce((sum, { rows }) => sum + laneHeight(rows), 0)
  const at = (box: Box) => ({
    x: LABEL + box.column * (BOX.width + GAP.x),
    y: (tops[box.lane] ?? 0) + PAD + (places.get(box.id) ?? 0) * (BOX.height + GAP.y),
  })
  const byId = new Map(drawing.boxes.map((box) => [box.id, box]))
  return (
    <div className={classes.drawing} tabIndex={0} role="group" aria-label="Plan over the tiers">
      <svg
        width="100%"
        style={{ minWidth: width }}
        height={height}
        role="img"
        aria-label={inWords(drawing.boxes, drawing.lanes)}
      >
        {lanes.map(({ name, rows }, lane) => (
          <g key={name}>
            <rect className={classes.lane} x={0} y={tops[lane]} width="100%" height={laneHeight(rows) - 2} />
            <text className={classes.laneName} x={12} y={(tops[lane] ?? 0) + 24}>
              {name}
            </text>
          </g>
        ))}
        {drawing.flows.map(({ from, to }) => {
          const [start, stop] = [byId.get(from), byId.get(to)]
          return start && stop ? (
            <path key={`${from} ${to}`} className={classes.flow} d={curve(at(start), at(stop))} />
          ) : null
        })}
        {drawing.boxes.map((box) => (
          <BoxMark key={box.id} box={box} {...at(box)} />
        ))}
      </svg>
    </div>
  )
}

function BoxMark({ box, x, y }: { box: Box; x: number; y: number }) {
  const isSource = box.model === null
  return (
    <g transform={`translate(${x},${y})`} data-box={box.id}>
      <title>{isSource ? 'A source' : `${box.model ?? ''} on ${box.workers.join(', ')}`}</title>
      <rect className={isSource ? classes.source : classes.box} width={BOX.width} height={BOX.height} rx={6} />
      {!isSource && (
        <rect className={classes.busy} y={BOX.height - 4} width={BOX.width * Math.min(1, box.busy)} height={4} />
      )}
      <text className={classes.boxName} x={10} y={isSource ? 34 : 19}>
        {short(box.operator)}
      </text>
      {!isSource && (
        <>
          <text className={classes.boxNote} x={10} y={34}>
            {short(box.model ?? '')}
          </text>
          <text className={classes.boxNote} x={10} y={48}>
            {`${plural(box.workers.length, 'worker')}, ${percent(box.busy, 0)} busy`}
          </text>
        </>
      )}
    </g>
  )
}

/** Returns the row of each box within its cell of lane and column. */
function placesOf(boxes: readonly Box[]): Map<string, number> {
  const used = new Map<string, number>()
  return new Map(
    boxes.map(({ id, lane, column }) => {
      const cell = `${lane} ${column}`
      const row = used.get(cell) ?? 0
      used.set(cell, row + 1)
      return [id, row]
    }),
  )
}

function rowsOf(boxes: readonly Box[], lane: number): number {
  const counts = new Map<number, number>()
  for (const box of boxes) if (box.lane === lane) counts.set(box.column, (counts.get(box.column) ?? 0) + 1)
  return Math.max(1, ...counts.values())
}

function laneHeight(rows: number): number {
  return 2 * PAD + rows * BOX.height + (rows - 1) * GAP.y
}

function curve(from: { x: number; y: number }, to: { x: number; y: number }): string {
  const [x1, y1, x2, y2] = [from.x + BOX.width, from.y + BOX.height / 2, to.x, to.y + BOX.height / 2]
  const bend = Math.max(24, (x2 - x1) / 2)
  return `M${x1},${y1} C${x1 + bend},${y1} ${x2 - bend},${y2} ${x2},${y2}`
}

const MOST_LETTERS = 25

function short(text: string): string {
  return text.length > MOST_LETTERS ? `${text.slice(0, MOST_LETTERS - 1)}…` : text
}

function inWords(boxes: readonly Box[], lanes: readonly string[]): string {
  const said = boxes.map(
    ({ operator, lane, model }) => `${operator}${model === null ? '' : ` (${model})`} at ${lanes[lane] ?? ''}`,
  )
  return `The plan: ${said.join('; ')}.`
}
