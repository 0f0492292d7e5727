import { expect, test } from 'vitest'
import { readTimePart, timePartOf, timePartSearch } from './timePart'

test('a part goes into the address in whole seconds that contain it, and comes back', () => {
  const search = timePartSearch([100.7, 200.2])
  expect(search).toEqual({ from: '100', to: '201' })
  expect(timePartOf(readTimePart(search))).toEqual([100, 201])
  expect(timePartOf(readTimePart(timePartSearch(null)))).toBeNull()
})

test.each([{}, { from: '1' }, { to: '2' }, { from: '2', to: '2' }, { from: 'x', to: '2' }, { from: '-1', to: '2' }])(
  '%o shows all',
  (search) => {
    expect(timePartOf(readTimePart(search))).toBeNull()
  },
)
