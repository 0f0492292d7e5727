/** Computes the layout of a graph in layers, so that edges lead one way as far as there are no cycles. */
import { Graph, layout } from '@dagrejs/dagre'
import type { GraphEdge, GraphNode, Point } from './graph'

export const NODE = { width: 148, height: 44 }
const LABEL = { height: 16, perCharacter: 6.5, margin: 8 }
const BETWEEN = { nodesep: 16, edgesep: 12, ranksep: 28 }
const STRAIGHT = 8

/** `down` is for frames that are higher than wide. */
export type Direction = 'right' | 'down'
export type EdgeLayout = {
  /** The path for SVG. */
  path: string
  /** The middle of its label. */
  label: Point
}
/** A layout in pixels at scale 1; a node's point is its centre. Edges are in the order of the graph's. */
export type GraphLayout = { width: number; height: number; nodes: Map<string, Point>; edges: (EdgeLayout | null)[] }

/**
 * Computes the layout, which is deterministic, with the main line straight on top or on the left.
 *
 * An edge from or to a missing node is null.
 */
export function layoutOf(
  nodes: readonly Pick<GraphNode, 'id'>[],
  edges: readonly Pick<GraphEdge, 'from' | 'to' | 'label' | 'isMain'>[],
  direction: Direction,
): GraphLayout {
  const graph = new Graph({ directed: true, multigraph: true })
  // This puts the last nodes of all layers in one line; the layout is mirrored below.
  graph.setGraph({ ...BETWEEN, rankdir: direction === 'right' ? 'LR' : 'TB', align: 'UR' })
  for (const { id } of nodes) graph.setNode(id, { ...NODE })
  edges.forEach(({ from, to, label, isMain }, index) => {
    if (!graph.hasNode(from) || !graph.hasNode(to)) return
    const size = label ? { width: label.length * LABEL.perCharacter + LABEL.margin, height: LABEL.height } : {}
    graph.setEdge(from, to, { labelpos: 'c', weight: isMain ? STRAIGHT : 1, ...size }, String(index))
  })
  layout(graph, { constraints: mainLast(nodes, edges) })
  const { width, height } = { width: 0, height: 0, ...(graph.graph() as Partial<GraphLayout>) }
  if (nodes.length === 0) return { width: 0, height: 0, nodes: new Map(), edges: edges.map(() => null) }
  const mirrored = ({ x = 0, y = 0 }: Partial<Point>): Point =>
    direction === 'right' ? { x, y: height - y } : { x: width - x, y }
  return {
    width,
    height,
    nodes: new Map(nodes.map(({ id }) => [id, mirrored(graph.node(id) as Partial<Point>)])),
    edges: edges.map(({ from, to }, index) => {
      const drawn = graph.edge(from, to, String(index)) as ({ points?: Point[] } & Partial<Point>) | undefined
      if (!drawn?.points) return null
      const points = drawn.points.map(mirrored)
      const middle = points[Math.floor(points.length / 2)] ?? { x: 0, y: 0 }
      return { path: pathOf(points), label: drawn.x === undefined ? middle : mirrored(drawn) }
    }),
  }
}

/** Orders the nodes of each layer with those of the main line last. */
function mainLast(
  nodes: readonly Pick<GraphNode, 'id'>[],
  edges: readonly Pick<GraphEdge, 'from' | 'to' | 'isMain'>[],
): { left: string; right: string }[] {
  const main = new Set(edges.flatMap(({ from, to, isMain }) => (isMain ? [from, to] : [])))
  const others = nodes.filter(({ id }) => !main.has(id))
  return [...main].flatMap((right) => others.map(({ id: left }) => ({ left, right })))
}

/** Returns a smooth line through the points. */
export function pathOf(points: readonly Point[]): string {
  const [first, ...rest] = points
  const last = rest.pop()
  if (!first || !last) return ''
  const bends = rest.map((point, index) => {
    const next = rest[index + 1]
    return `Q${coordinates(point)} ${coordinates(next ? between(point, next) : last)}`
  })
  return [`M${coordinates(first)}`, ...(bends.length > 0 ? bends : [`L${coordinates(last)}`])].join(' ')
}

function between(one: Point, other: Point): Point {
  return { x: (one.x + other.x) / 2, y: (one.y + other.y) / 2 }
}

function coordinates({ x, y }: Point): string {
  return `${x.toFixed(1)},${y.toFixed(1)}`
}
