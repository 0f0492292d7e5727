/** Navigation between the nodes of a graph by keys. */
import type { GraphEdge, Point } from './graph'

const DIRECTIONS: Record<string, Point> = {
  ArrowRight: { x: 1, y: 0 },
  ArrowLeft: { x: -1, y: 0 },
  ArrowDown: { x: 0, y: 1 },
  ArrowUp: { x: 0, y: -1 },
}
/** Distances to the side count this much more. */
const ASIDE = 2

/** Returns the unit vector of an arrow key; null for other keys. */
export function directionOf(key: string): Point | null {
  return DIRECTIONS[key] ?? null
}

/**
 * Returns the node that a key leads to, or null.
 *
 * Arrows follow an edge, in whichever direction it points, or else lead to the nearest node on that side. Page Down and
 * Page Up go through all nodes in their order, Home and End to its ends.
 */
export function nextNode(
  key: string,
  from: string,
  nodes: ReadonlyMap<string, Point>,
  edges: readonly Pick<GraphEdge, 'from' | 'to'>[],
): string | null {
  const order = [...nodes.keys()]
  const direction = directionOf(key)
  if (direction) return towards(direction, from, nodes, edges)
  const index = order.indexOf(from)
  const targets: Record<string, number> = { PageDown: index + 1, PageUp: index - 1, Home: 0, End: order.length - 1 }
  return order[targets[key] ?? -1] ?? null
}

function towards(
  direction: Point,
  from: string,
  nodes: ReadonlyMap<string, Point>,
  edges: readonly Pick<GraphEdge, 'from' | 'to'>[],
): string | null {
  const start = nodes.get(from)
  if (!start) return null
  const linked = new Set(
    edges.flatMap((edge) => (edge.from === from ? [edge.to] : edge.to === from ? [edge.from] : [])),
  )
  let best: { id: string; isLinked: boolean; distance: number } | null = null
  for (const [id, { x, y }] of nodes) {
    const ahead = (x - start.x) * direction.x + (y - start.y) * direction.y
    const aside = Math.abs((x - start.x) * direction.y) + Math.abs((y - start.y) * direction.x)
    const isLinked = linked.has(id)
    if (ahead < 1 || (!isLinked && aside > ahead)) continue
    const distance = ahead + ASIDE * aside
    const isBetter = !best || (isLinked === best.isLinked ? distance < best.distance : isLinked)
    if (isBetter) best = { id, isLinked, distance }
  }
  return best?.id ?? null
}
