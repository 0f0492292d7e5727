import { afterEach, expect, test, vi } from 'vitest'
import { learnServerTime, serverNow } from './serverClock'

const NOW = Date.parse('2026-03-01T12:00:00Z')

afterEach(() => {
  vi.useRealTimers()
})

test.each([
  ['Sun, 01 Mar 2026 13:00:00 GMT', 3_600_000],
  ['Sun, 01 Mar 2026 11:00:00 GMT', -3_600_000],
  ['Sun, 01 Mar 2026 11:59:58 GMT', 0],
  ['nonsense', 0],
  [null, 0],
])('an answer of %s puts the clock right by %i ms', (date, difference) => {
  vi.useFakeTimers({ now: NOW })
  learnServerTime(new Date(NOW).toUTCString())
  learnServerTime(date)
  expect(serverNow() - NOW).toBe(difference)
})
