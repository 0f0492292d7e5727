import { expect, test } from 'vitest'
import { bandColumns, columnsOf, EVENTS, ordered, POINTS, rowsOf, timeAt, valueAt } from './samples'

test('values are the same at each visit, and stay within a range', () => {
  expect([0, 1, 2, 3].map((step) => valueAt(step))).toEqual([0, 1, 2, 3].map((step) => valueAt(step)))
  const all = Array.from({ length: 1000 }, (_, step) => valueAt(step))
  expect(Math.min(...all)).toBeGreaterThanOrEqual(0)
  expect(Math.max(...all)).toBeLessThanOrEqual(40)
})

test('columns are as long as their times, with gaps where nothing is known', () => {
  const [times, first, second] = columnsOf(2, 4, (step) => step === 2)
  expect(times).toEqual([0, 1, 2, 3].map(timeAt))
  expect([first?.[2], second?.[2], first?.[3]]).toEqual([null, null, valueAt(3)])
})

test('a band holds its value, and grows narrower', () => {
  const [, value = [], lower = [], upper = []] = bandColumns()
  expect(value.every((each, step) => Number(lower[step]) <= Number(each) && Number(each) <= Number(upper[step]))).toBe(
    true,
  )
  expect(Number(upper.at(-1)) - Number(lower.at(-1))).toBeLessThan(Number(upper[0]) - Number(lower[0]))
})

test('the events lie in the time of the charts', () => {
  expect(EVENTS.every(({ at }) => at >= timeAt(0) && at < timeAt(POINTS))).toBe(true)
})

test('rows are ordered in both directions, and what is missing comes last', () => {
  const rows = rowsOf(20, 0)
  const devices = (order: string) => ordered(rows, order).map((row) => row.devices)
  const known = (order: string) => devices(order).filter((each) => each !== null)
  expect(known('devices')).toEqual([...known('devices')].sort((a, b) => a - b))
  expect(known('-devices')).toEqual([...known('devices')].reverse())
  expect([devices('devices').at(-1), devices('-devices').at(-1)]).toEqual([null, null])
  expect(ordered(rows, 'name')[0]?.name).toBe('brightness-15')
  expect(ordered(rows, undefined)).toBe(rows)
})
