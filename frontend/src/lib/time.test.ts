import { expect, test } from 'vitest'
import { duration, relativeTime } from './time'

const NOW = Date.parse('2026-03-01T12:00:00Z')

test.each([
  [0, 'now'],
  [-400, 'now'],
  [-1_000, '1 sec. ago'],
  [-59_000, '59 sec. ago'],
  [-60_000, '1 min. ago'],
  [-3_599_000, '59 min. ago'],
  [-90_000_000, '1 day ago'],
  [7_200_000, 'in 2 hr.'],
])('%i ms from now is %s', (offset, text) => {
  expect(relativeTime(NOW + offset, NOW)).toBe(text)
})

test.each([
  [0, '0 s'],
  [45, '45 s'],
  [60, '1 min'],
  [7_500, '2 h 5 min'],
  [90_061, '1 d 1 h'],
])('%i seconds last %s', (seconds, text) => {
  expect(duration(seconds)).toBe(text)
})
