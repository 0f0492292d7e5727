import { afterEach, expect, test } from 'vitest'
import { absoluteTime, duration, relativeTime, setTimeZone, timeOfDay, timeZone } from './time'

const NOW = Date.parse('2026-03-01T12:00:00Z')

afterEach(() => setTimeZone(''))

test('times are shown in the chosen zone, and in the browser’s without one', () => {
  const own = timeZone()
  setTimeZone('Asia/Tokyo')
  expect([timeZone(), timeOfDay(NOW)]).toEqual(['Asia/Tokyo', '21:00'])
  expect(absoluteTime(NOW)).toBe('1 Mar 2026, 21:00:00 GMT+9')
  setTimeZone('America/New_York')
  expect(timeOfDay(NOW)).toBe('07:00')
  for (const none of ['Mars/Olympus', '']) {
    setTimeZone(none)
    expect(timeZone()).toBe(own)
  }
})

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
