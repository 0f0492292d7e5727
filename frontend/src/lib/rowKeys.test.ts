import { expect, test } from 'vitest'
import { nextRow } from './rowKeys'

test.each([
  ['ArrowDown', 3, 4],
  ['ArrowUp', 3, 2],
  ['ArrowUp', 0, 0],
  ['ArrowDown', 9, 9],
  ['PageDown', 3, 8],
  ['PageUp', 3, 0],
  ['Home', 3, 0],
  ['End', 3, 9],
])('%s at row %i of ten leads to %i', (key, active, to) => {
  expect(nextRow(key, active, 10, 5)).toBe(to)
})

test('other keys, and tables without rows, lead nowhere', () => {
  expect([nextRow('a', 1, 10, 5), nextRow('End', 0, 0, 5)]).toEqual([null, null])
})
