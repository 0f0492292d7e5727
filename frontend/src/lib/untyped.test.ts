import { expect, test } from 'vitest'
import { listIn, numberIn, objectIn, textIn, valueText } from './untyped'

test('what is of another type is nothing', () => {
  expect([objectIn([1]), objectIn(null), listIn({}), numberIn('1'), textIn(1)]).toEqual([{}, {}, [], null, ''])
  expect([objectIn({ a: 1 }), listIn([1]), numberIn(0), textIn('x')]).toEqual([{ a: 1 }, [1], 0, 'x'])
})

test('values are written as the API reads them', () => {
  expect(['a b', 8, true, 1.5, null, ['x']].map(valueText)).toEqual(['a b', '8', 'true', '1.5', 'null', '["x"]'])
})
