import { expect, it } from 'vitest'
import { summarize } from './summary'

it('counts numbers in equally wide ranges', () => {
  expect(summarize([0, 1, 2, 3, 4, Number.NaN, Number.NEGATIVE_INFINITY, 0], 4)).toEqual({
    least: 0,
    most: 4,
    mean: 10 / 6,
    notFinite: 2,
    zeros: 2,
    counts: [2, 1, 1, 2],
  })
})

it('has one range for equal numbers, and none for no number', () => {
  expect(summarize([5, 5])?.counts).toEqual([2])
  expect(summarize([Number.NaN])).toBeNull()
  expect(summarize([])).toBeNull()
})

it('counts the largest numbers, too', () => {
  expect(summarize([-Number.MAX_VALUE, 0, Number.MAX_VALUE], 3)?.counts).toEqual([1, 1, 1])
})
