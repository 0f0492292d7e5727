import { expect, test } from 'vitest'
import { expiryOf, LIFETIMES, reachInWords, tokenState } from './tokens'

const NOW = Date.parse('2026-03-01T12:00:00Z')
const at = (days: number) => new Date(NOW + days * 86_400_000).toISOString()

test.each([
  [null, null, 'valid', false],
  [null, at(8), 'valid', false],
  [null, at(7), 'expires soon', false],
  [null, at(0), 'expired', true],
  [at(-1), at(8), 'revoked', true],
])('revoked %s, expires %s: %s', (revoked_at, expires_at, word, isOver) => {
  expect(tokenState({ revoked_at, expires_at }, NOW)).toMatchObject({ word, isOver })
})

test('a lifetime ends at a time, or never', () => {
  expect(LIFETIMES.map(({ value }) => expiryOf(value, NOW))).toEqual([at(7), at(30), at(90), at(365), null])
})

test('what a token reaches is said in words', () => {
  expect(reachInWords({ scopes: [], permissions: [] })).toBe('everything that you may do everywhere')
  expect(reachInWords({ scopes: ['scenario:camera', 'app:shop'], permissions: ['push', 'release'] })).toBe(
    'push, release in scenario camera, app shop',
  )
})
