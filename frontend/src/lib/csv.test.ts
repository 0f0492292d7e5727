import { expect, test } from 'vitest'
import { csv } from './csv'

test('cells are quoted where commas, quotes or lines would break them', () => {
  expect(csv([['a', 'b,c', 'say "x"', 'two\nlines']])).toBe('a,"b,c","say ""x""","two\nlines"\r\n')
})

test.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1'])('%j does not become a formula', (text) => {
  expect(csv([[text]]).replace(/^"/, '')).toMatch(/^'/)
})
