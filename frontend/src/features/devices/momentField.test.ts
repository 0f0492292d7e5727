import { expect, test } from 'vitest'
import { fromField, toField } from './momentField'

test('a moment survives its field to the minute', () => {
  for (const moment of ['2026-05-01T14:30:00Z', '2026-12-31T23:59:00Z']) {
    expect(fromField(toField(moment))).toBe(moment)
  }
})

test('what is no moment is none', () => {
  expect([toField(undefined), toField('soon')]).toEqual(['', ''])
  expect([fromField(''), fromField('soon'), fromField('0002-05-01T14:30')]).toEqual([undefined, undefined, undefined])
})
