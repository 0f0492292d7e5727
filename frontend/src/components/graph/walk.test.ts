import { expect, test } from 'vitest'
import { nextNode } from './walk'

/**
 *   draft - beta - complete
 *              \
 *     far       paused
 */
const NODES = new Map([
  ['draft', { x: 0, y: 0 }],
  ['beta', { x: 200, y: 0 }],
  ['paused', { x: 400, y: 60 }],
  ['complete', { x: 400, y: 0 }],
  ['far', { x: 20, y: 60 }],
])
const EDGES = [
  { from: 'draft', to: 'beta' },
  { from: 'beta', to: 'complete' },
  { from: 'beta', to: 'paused' },
]
const from = (id: string, key: string) => nextNode(key, id, NODES, EDGES)

test('arrows lead along edges, also against their direction, the straightest first', () => {
  expect(from('draft', 'ArrowRight')).toBe('beta')
  expect(from('beta', 'ArrowRight')).toBe('complete')
  expect(from('beta', 'ArrowDown')).toBe('paused')
  expect(from('paused', 'ArrowLeft')).toBe('beta')
  expect(from('paused', 'ArrowUp')).toBe('beta')
})

test('where no edge leads, the nearest node on that side is next', () => {
  expect(from('complete', 'ArrowDown')).toBe('paused')
  expect(from('draft', 'ArrowDown')).toBe('far')
  expect(from('draft', 'ArrowLeft')).toBeNull()
  expect(from('complete', 'ArrowRight')).toBeNull()
  const asideOnly = new Map([...NODES].filter(([id]) => id === 'far' || id === 'complete'))
  expect(nextNode('ArrowUp', 'far', asideOnly, EDGES)).toBeNull()
})

test('every node can be reached, whatever its edges', () => {
  const forward = ['draft', 'beta', 'paused', 'complete'].map((id) => from(id, 'PageDown'))
  expect(forward).toEqual(['beta', 'paused', 'complete', 'far'])
  expect([from('far', 'PageDown'), from('draft', 'PageUp')]).toEqual([null, null])
  expect([from('beta', 'PageUp'), from('beta', 'Home'), from('beta', 'End')]).toEqual(['draft', 'draft', 'far'])
})

test('other keys, and nodes that are not there, lead nowhere', () => {
  expect([from('beta', 'a'), from('beta', 'Enter'), from('gone', 'ArrowUp')]).toEqual([null, null, null])
})
