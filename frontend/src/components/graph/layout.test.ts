import { expect, test } from 'vitest'
import type { GraphEdge } from './graph'
import { layoutOf, NODE, pathOf, type GraphLayout } from './layout'

const edge = (from: string, to: string, more: Partial<GraphEdge> = {}): GraphEdge => ({ from, to, ...more })
const nodesOf = (edges: readonly GraphEdge[]) =>
  [...new Set(edges.flatMap(({ from, to }) => [from, to]))].map((id) => ({ id }))
const main = (...ids: string[]) => ids.slice(1).map((to, index) => edge(ids[index] ?? '', to, { isMain: true }))

/** A release that was paused in two of its stages, skipped one, and can go three ways. */
const EDGES = [
  ...main('draft', 'beta', 'gray', 'all', 'complete'),
  edge('beta', 'paused', { label: 'paused 2×' }),
  edge('paused', 'beta', { label: 'resumed 2×' }),
  edge('gray', 'paused again', { label: 'paused' }),
  edge('paused again', 'gray', { label: 'resumed' }),
  edge('gray', 'complete', { label: 'completed' }),
  edge('complete', 'rolled back', { label: 'rolled back' }),
]

function overlaps({ nodes }: GraphLayout): string[] {
  const all = [...nodes]
  return all.flatMap(([one, a], index) =>
    all
      .slice(index + 1)
      .filter(([, b]) => Math.abs(a.x - b.x) < NODE.width && Math.abs(a.y - b.y) < NODE.height)
      .map(([other]) => `${one} ${other}`),
  )
}

test('the main line is straight, on top, and leads on; nothing is above another', () => {
  const layout = layoutOf(nodesOf(EDGES), EDGES, 'right')
  const line = ['draft', 'beta', 'gray', 'all', 'complete'].map((id) => layout.nodes.get(id) ?? { x: 0, y: 0 })
  expect(new Set(line.map(({ y }) => y))).toEqual(new Set([NODE.height / 2]))
  const across = line.map(({ x }) => x)
  expect(across).toEqual([...across].sort((one, other) => one - other))
  expect(overlaps(layout)).toEqual([])
})

test('in a narrow frame it leads down, on the left', () => {
  const layout = layoutOf(nodesOf(EDGES), EDGES, 'down')
  const line = ['draft', 'beta', 'gray', 'all', 'complete'].map((id) => layout.nodes.get(id) ?? { x: 0, y: 0 })
  expect(new Set(line.map(({ x }) => x)).size).toBe(1)
  expect(Math.min(...[...layout.nodes.values()].map(({ x }) => x))).toBe(line[0]?.x)
  const down = line.map(({ y }) => y)
  expect(down).toEqual([...down].sort((one, other) => one - other))
})

test('everything is within the size that is told, labels too', () => {
  const layout = layoutOf(nodesOf(EDGES), EDGES, 'right')
  const points = [...layout.nodes.values(), ...layout.edges.flatMap((drawn) => drawn?.label ?? [])]
  for (const { x, y } of points) {
    expect(x).toBeGreaterThanOrEqual(0)
    expect(x).toBeLessThanOrEqual(layout.width)
    expect(y).toBeGreaterThanOrEqual(0)
    expect(y).toBeLessThanOrEqual(layout.height)
  }
})

test('the same graph looks the same each time', () => {
  expect(layoutOf(nodesOf(EDGES), EDGES, 'right')).toEqual(layoutOf(nodesOf(EDGES), EDGES, 'right'))
})

test('no nodes, edges to nowhere and edges to oneself are drawn as what they are', () => {
  expect(layoutOf([], [edge('a', 'b')], 'right')).toEqual({ width: 0, height: 0, nodes: new Map(), edges: [null] })
  const layout = layoutOf([{ id: 'a' }], [edge('a', 'gone'), edge('a', 'a')], 'right')
  expect([...layout.nodes.keys()]).toEqual(['a'])
  expect(layout.edges[0]).toBeNull()
  expect(layout.edges[1]?.path).toMatch(/^M/)
})

test('two hundred nodes have their places', () => {
  const edges = Array.from({ length: 199 }, (_, index) => edge(`n${Math.floor(index / 2)}`, `n${index + 1}`))
  const layout = layoutOf(nodesOf(edges), edges, 'right')
  expect(layout.nodes.size).toBe(200)
  expect(overlaps(layout)).toEqual([])
})

test('a path bends where its points do', () => {
  const a = { x: 0, y: 0 }
  const b = { x: 10, y: 0 }
  const c = { x: 10, y: 10 }
  expect(pathOf([a, b])).toBe('M0.0,0.0 L10.0,0.0')
  expect(pathOf([a, b, c])).toBe('M0.0,0.0 Q10.0,0.0 10.0,10.0')
  expect(pathOf([])).toBe('')
})
