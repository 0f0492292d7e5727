import { expect, test } from 'vitest'
import type { Feature } from './choosing'
import { chartColumns, curveOf, numbersIn, savedShare } from './series'

test('columns of the charts: amounts per second, delays as they are', () => {
  const rates = {
    step_s: 60,
    at: [0, 60],
    features: [120, 0],
    raw_bytes: [6000, 0],
    wire_bytes: [600, 0],
    p50_ms: [10, null],
    p90_ms: [20, null],
    p99_ms: [30, null],
    tasks: [],
  }
  expect(chartColumns(rates)).toEqual({
    features: [rates.at, [2, 0]],
    bytes: [rates.at, [100, 0], [10, 0]],
    delays: [rates.at, [10, null], [20, null], [30, null]],
  })
})

test('what compression saved; frames longer than their values saved nothing', () => {
  expect(savedShare({ raw_bytes: 1000, wire_bytes: 250 })).toBe(0.75)
  expect(savedShare({ raw_bytes: 10, wire_bytes: 30 })).toBe(0)
  expect(savedShare({ raw_bytes: 0, wire_bytes: 0 })).toBe(0)
})

test('lists of numbers are curves, unless they are too short or too long for one', () => {
  expect(curveOf([1, 2.5, -1])).toEqual([1, 2.5, -1])
  const others = [[1, 2], Array.from({ length: 257 }, () => 0), [1, 2, 'x'], [1, 2, null], 3, 'abc', null]
  expect(others.map(curveOf)).toEqual(others.map(() => null))
})

test('the numbers in features, from the oldest to the newest', () => {
  const features = [{ n: 3, text: 'x', deep: { n: 1 } }, null, { n: 2, other: 0.5 }, { n: 1 }].map(
    (values) => ({ values }) as Feature,
  )
  expect(numbersIn(features)).toEqual([
    { name: 'n', values: [1, 2, 3] },
    { name: 'other', values: [0.5] },
  ])
})
