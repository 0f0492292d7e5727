/** Draws marks across a chart: events as vertical lines with their names, and a limit. */
import type uPlot from 'uplot'
import type { Tone } from './tone'

/** `at` is in seconds since 1970. */
export type ChartEvent = { at: number; label: string; tone: Tone }
export type Marks = { events: readonly ChartEvent[]; limit?: { at: number; label: string } | undefined }

export const CHART_FONT = '11px Inter, system-ui, sans-serif'
const DASH = [4, 4]
const ROWS = 5
const ROW_PX = 14

type Reach = [from: number, to: number]

/** `color` returns the value of a token, such as `--bad`. */
export function drawMarks(
  plot: uPlot,
  marks: Marks,
  color: (name: string) => string,
  format: (value: number) => string,
): void {
  const { ctx, bbox } = plot
  const ratio = devicePixelRatio
  ctx.save()
  ctx.beginPath()
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height)
  ctx.clip()
  ctx.font = CHART_FONT.replace('11px', `${11 * ratio}px`)
  // The axes leave their own alignment behind.
  ctx.textAlign = 'left'
  ctx.textBaseline = 'alphabetic'
  ctx.lineWidth = ratio
  ctx.setLineDash(DASH.map((length) => length * ratio))
  // Newest first: if there is no room for all names, the newest are the most relevant.
  const events = [...marks.events]
    .sort((one, other) => other.at - one.at)
    .map((event) => ({
      label: event.label,
      x: Math.round(plot.valToPos(event.at, 'x', true)),
      stroke: color(event.tone === 'none' ? '--muted' : `--${event.tone}`),
    }))
    .filter(({ x }) => x >= bbox.left && x <= bbox.left + bbox.width)
  for (const { x, stroke } of events) {
    ctx.strokeStyle = stroke
    line(ctx, x, bbox.top, x, bbox.top + bbox.height)
  }
  if (marks.limit) {
    const y = Math.round(plot.valToPos(marks.limit.at, 'y', true))
    ctx.strokeStyle = ctx.fillStyle = color('--bad')
    line(ctx, bbox.left, y, bbox.left + bbox.width, y)
    ctx.fillText(`${marks.limit.label} ${format(marks.limit.at)}`, bbox.left + 4 * ratio, y - 4 * ratio)
  }
  const taken: Reach[][] = Array.from({ length: ROWS }, () => [])
  for (const { x, label, stroke } of events) {
    const place = placeOf(ctx.measureText(label).width, x, bbox, taken)
    if (place) write(ctx, label, place, stroke, color('--bg'))
  }
  ctx.restore()
}

function line(ctx: CanvasRenderingContext2D, x0: number, y0: number, x1: number, y1: number): void {
  ctx.beginPath()
  ctx.moveTo(x0, y0)
  ctx.lineTo(x1, y1)
  ctx.stroke()
}

type Place = { left: number; top: number; width: number }

/**
 * Returns the place of a label: to the right of its line at `x`, or to the left if there is no room; in the first free
 * row.
 *
 * `taken` holds the labels of each row. If all rows are full there is no place: the tip still has the name.
 */
function placeOf(width: number, x: number, box: uPlot.BBox, taken: Reach[][]): Place | null {
  const ratio = devicePixelRatio
  const gap = 4 * ratio
  const left = x + gap + width > box.left + box.width ? x - gap - width : x + gap
  const right = left + width + gap
  const row = taken.findIndex((reaches) => reaches.every(([from, to]) => right <= from || to <= left))
  if (row < 0) return null
  taken[row]?.push([left, right])
  return { left, top: box.top + row * ROW_PX * ratio, width }
}

/** Writes a label on a background, which hides lines and curves behind it. */
function write(
  ctx: CanvasRenderingContext2D,
  text: string,
  { left, top, width }: Place,
  stroke: string,
  ground: string,
): void {
  const ratio = devicePixelRatio
  ctx.globalAlpha = 0.85
  ctx.fillStyle = ground
  ctx.fillRect(left - 2 * ratio, top, width + 4 * ratio, ROW_PX * ratio)
  ctx.globalAlpha = 1
  ctx.fillStyle = stroke
  ctx.fillText(text, left, top + 11 * ratio)
}
