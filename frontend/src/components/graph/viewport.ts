/** The visible part of a graph: scale and offset. */
import type { Point } from './graph'

export type Size = { width: number; height: number }
/** A CSS transform: a point of the graph is at `k` times itself plus `x` and `y`. */
export type View = Point & { k: number }

export const SCALE: [number, number] = [0.1, 2]
/** At a smaller scale, labels cannot be read. */
export const READABLE = 0.7
const MARGIN = 8

/** Returns the view of the complete graph, at most at its own size, centred in the frame. */
export function whole(graph: Size, frame: Size): View {
  const room = { width: frame.width - 2 * MARGIN, height: frame.height - 2 * MARGIN }
  const fits = Math.min(room.width / Math.max(graph.width, 1), room.height / Math.max(graph.height, 1))
  const k = Math.max(SCALE[0], Math.min(1, fits))
  return { k, x: (frame.width - k * graph.width) / 2, y: (frame.height - k * graph.height) / 2 }
}

/** Returns the initial view: the complete graph if its labels are readable, otherwise the surroundings of a point. */
export function opening(graph: Size, frame: Size, around: Point | undefined): View {
  const all = whole(graph, frame)
  if (all.k >= READABLE || !around) return all
  const k = READABLE
  return {
    k,
    x: along(k * graph.width, frame.width, k * around.x),
    y: along(k * graph.height, frame.height, k * around.y),
  }
}

/** Computes one dimension: a shorter graph is centred; otherwise the point is, but nothing beyond the ends. */
function along(length: number, frame: number, point: number): number {
  if (length + 2 * MARGIN <= frame) return (frame - length) / 2
  return Math.min(MARGIN, Math.max(frame - length - MARGIN, frame / 2 - point))
}

/** Returns how far to move the view, in pixels of the frame, until a node around this point is visible. */
export function towardsView(point: Point, node: Size, view: View, frame: Size): Point {
  const middle = { x: view.k * point.x + view.x, y: view.k * point.y + view.y }
  return {
    x: into(middle.x, (view.k * node.width) / 2 + MARGIN, frame.width),
    y: into(middle.y, (view.k * node.height) / 2 + MARGIN, frame.height),
  }
}

function into(middle: number, half: number, length: number): number {
  if (middle < half) return half - middle
  return middle > length - half ? length - half - middle : 0
}

/** Returns whether part of the graph is out of view. */
export function isCut(graph: Size, frame: Size, { k, x, y }: View): boolean {
  return x < 0 || y < 0 || x + k * graph.width > frame.width || y + k * graph.height > frame.height
}
