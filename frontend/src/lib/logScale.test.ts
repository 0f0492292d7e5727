import { expect, test } from 'vitest'
import { placeOf, scaleOf, ticksOf } from './logScale'

test('the scale reaches from the lowest median to the highest value, in whole powers of ten', () => {
  expect(scaleOf([{ p50: 40, p90: 60, p99: 120 }, null, { p50: 4, p90: 5, p99: 7 }])).toEqual({ from: 1, to: 1000 })
  expect(ticksOf({ from: 1, to: 1000 })).toEqual([1, 10, 100, 1000])
  expect(placeOf(10, { from: 1, to: 1000 })).toBeCloseTo(1 / 3)
})

test('values that are all alike have a scale, too; no values have none', () => {
  expect(scaleOf([{ p50: 10, p90: 10, p99: 10 }])).toEqual({ from: 10, to: 100 })
  expect(scaleOf([null])).toBeNull()
})
