import { expect, test } from 'vitest'
import { asList, asNumber, asObject, asText, indented, valueText } from './json'

test('what is of another type is nothing', () => {
  expect([asObject([1]), asObject(null), asList({}), asNumber('1'), asText(1)]).toEqual([{}, {}, [], null, ''])
  expect([asObject({ a: 1 }), asList([1]), asNumber(0), asText('x')]).toEqual([{ a: 1 }, [1], 0, 'x'])
})

test('values are written as the API reads them', () => {
  expect(['a b', 8, true, 1.5, null, ['x']].map(valueText)).toEqual(['a b', '8', 'true', '1.5', 'null', '["x"]'])
})

test('data has a line for each member, and lists of plain values are on one', () => {
  const data = { page: 'a "b"', encoding: [0.5, -1, null], deep: { list: [{ a: [] }, [1]], none: {} } }
  expect(indented(data)).toBe(
    [
      '{',
      String.raw`  "page": "a \"b\"",`,
      '  "encoding": [0.5, -1, null],',
      '  "deep": {',
      '    "list": [',
      '      {',
      '        "a": []',
      '      },',
      '      [1]',
      '    ],',
      '    "none": {}',
      '  }',
      '}',
    ].join('\n'),
  )
  expect(JSON.parse(indented(data))).toEqual(data)
  expect(['x', null, []].map((each) => indented(each))).toEqual(['"x"', 'null', '[]'])
})
