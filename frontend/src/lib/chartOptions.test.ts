import { expect, test } from 'vitest'
import { valueRange } from './chartOptions'

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
