import { expect, test } from 'vitest'
import { asList, asNumber, asObject, asText, valueText } from './json'

test('what is of another type is nothing', () => {
  expect([asObject([1]), asObject(null), asList({}), asNumber('1'), asText(1)]).toEqual([{}, {}, [], null, ''])
  expect([asObject({ a: 1 }), asList([1]), asNumber(0), asText('x')]).toEqual([{ a: 1 }, [1], 0, 'x'])
})

test('values are written as the API reads them', () => {
  expect(['a b', 8, true, 1.5, null, ['x']].map(valueText)).toEqual(['a b', '8', 'true', '1.5', 'null', '["x"]'])
})
