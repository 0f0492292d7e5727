import { expect, test } from 'vitest'
import { nextRow, withRow } from './rowKeys'

test.each([
  ['ArrowDown', 3, 4],
  ['j', 3, 4],
  ['ArrowUp', 3, 2],
  ['k', 3, 2],
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

test('a row that is out of view takes its place before or behind those in view', () => {
  expect(withRow([5, 6, 7], 2)).toEqual([2, 5, 6, 7])
  expect(withRow([5, 6, 7], 9)).toEqual([5, 6, 7, 9])
  expect(withRow([5, 6, 7], 6)).toEqual([5, 6, 7])
  expect(withRow([], -1)).toEqual([])
})
