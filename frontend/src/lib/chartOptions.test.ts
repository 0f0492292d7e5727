import { expect, test } from 'vitest'
import { alone, clock, valueRange } from './chartOptions'

test.each([
  ['no data', null, null, undefined, undefined, [0, 1]],
  ['data', 2, 10, undefined, undefined, [0, 10.8]],
  ['a limit above the data', 0, 0.01, 0.05, undefined, [0, 0.054]],
  ['a range that was asked for', 0, 0.2, undefined, [0, 1], [0, 1.08]],
] as const)('with %s', (_case, low, high, limit, least, range) => {
  expect(valueRange(low, high, limit, least as [number, number] | undefined)).toEqual(
    range.map((bound) => expect.closeTo(bound, 9) as number),
  )
})

test('a day begins with its date, so that two evenings are told apart', () => {
  const at = (day: number, hour: number) => new Date(2026, 4, day, hour).getTime() / 1000
  expect(clock(null, [at(1, 18), at(2, 0), at(2, 18)], 0, 0, 21_600)).toEqual(['18:00', '2 May', '18:00'])
  expect(clock(null, [at(1, 18), at(1, 18) + 15], 0, 0, 15)).toEqual(['18:00:00', '18:00:15'])
})

test('values without a neighbour are alone', () => {
  expect(alone([1, null, 2, 3, undefined, 4])).toEqual([0, 5])
  expect(alone([null, 0, null])).toEqual([1])
  expect([alone([]), alone([1, 2]), alone([null])]).toEqual([null, null, null])
})
