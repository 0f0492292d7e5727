import { afterEach, expect, test } from 'vitest'
import { setTimeZone } from '@/lib/time'
import { fromField, toField } from './momentField'

test('a moment survives its field to the minute', () => {
  for (const moment of ['2026-05-01T14:30:00Z', '2026-12-31T23:59:00Z']) {
    expect(fromField(toField(moment))).toBe(moment)
  }
})

afterEach(() => setTimeZone(''))

test.each([
  ['Asia/Kolkata', '2026-05-01T14:30:00Z', '2026-05-01T20:00'],
  ['Europe/Berlin', '2026-03-29T00:30:00Z', '2026-03-29T01:30'],
  ['Europe/Berlin', '2026-03-29T01:30:00Z', '2026-03-29T03:30'],
  ['America/New_York', '2026-11-01T12:00:00Z', '2026-11-01T07:00'],
])('in %s, %s is %s', (zone, moment, field) => {
  setTimeZone(zone)
  expect([toField(moment), fromField(field)]).toEqual([field, moment])
})

test('what is no moment is none', () => {
  expect([toField(undefined), toField('soon')]).toEqual(['', ''])
  expect([fromField(''), fromField('soon'), fromField('0002-05-01T14:30')]).toEqual([undefined, undefined, undefined])
})
