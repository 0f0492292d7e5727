import { expect, test } from 'vitest'
import { spanSince } from './spans'

const NOW = 1_000_000

test.each([
  [60, '15m', '15m'],
  [60, '6h', '6h'],
  [15 * 60 + 1, '15m', '1h'],
  [47 * 3600, '15m', '48h'],
  [90 * 3600, '15m', '48h'],
] as const)('for a time %d s ago, at least %s: %s', (ago, least, span) => {
  expect(spanSince(NOW - ago, NOW, least)).toBe(span)
})
