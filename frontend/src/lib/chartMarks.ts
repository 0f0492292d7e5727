/** Draws marks across a chart: events as vertical lines, whose names an EventLane has, and a limit. */
import type uPlot from 'uplot'
import type { Tone } from './tone'

/** `at` is in seconds since 1970. */
export type ChartEvent = { at: number; label: string; tone: Tone }
export type Marks = { events: readonly ChartEvent[]; limit?: { at: number; label: string } | undefined }

export const CHART_FONT = '11px Inter, system-ui, sans-serif'
const DASH = [4, 4]

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
  for (const { at, tone } of marks.events) {
    const x = Math.round(plot.valToPos(at, 'x', true))
    ctx.strokeStyle = color(tone === 'none' ? '--muted' : `--${tone}`)
    line(ctx, x, bbox.top, x, bbox.top + bbox.height)
  }
  if (marks.limit) {
    const y = Math.round(plot.valToPos(marks.limit.at, 'y', true))
    ctx.strokeStyle = ctx.fillStyle = color('--bad')
    line(ctx, bbox.left, y, bbox.left + bbox.width, y)
    // Above the line where there is room.
    const above = y - bbox.top >= 15 * ratio
    ctx.fillText(`${marks.limit.label} ${format(marks.limit.at)}`, bbox.left + 4 * ratio, y + (above ? -4 : 12) * ratio)
  }
  ctx.restore()
}

function line(ctx: CanvasRenderingContext2D, x0: number, y0: number, x1: number, y1: number): void {
  ctx.beginPath()
  ctx.moveTo(x0, y0)
  ctx.lineTo(x1, y1)
  ctx.stroke()
}
