import { expect, test } from 'vitest'
import { choice, parseSearch, stringifySearch, text, texts } from './search'

test.each([
  ['?q=a+b&version=1.0', { q: 'a b', version: '1.0' }],
  ['?state=gray&state=full', { state: ['gray', 'full'] }],
  ['', {}],
])('%s goes around', (query, search) => {
  expect(parseSearch(query)).toEqual(search)
  expect(stringifySearch(search)).toBe(query)
})

test('what is empty is left out', () => {
  expect(stringifySearch({ q: '', app: undefined, state: [] })).toBe('')
})

test('routes read texts, lists and words', () => {
  const search = { q: ['x', 'y'], state: 'gray', sort: 'sideways' }
  expect([text(search, 'q'), texts(search, 'q'), texts(search, 'state')]).toEqual(['x', ['x', 'y'], ['gray']])
  expect([choice(search, 'sort', ['up', 'down']), choice(search, 'state', ['gray'])]).toEqual([undefined, 'gray'])
})
