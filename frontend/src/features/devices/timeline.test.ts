import { expect, test } from 'vitest'
import { detailText, type TimelineEntry } from './timeline'

const entry = (kind: TimelineEntry['kind'], details: Record<string, unknown>): TimelineEntry => ({
  at: '2026-05-01T12:00:00Z',
  kind,
  task: 'camera/digits',
  version: '1.0.0',
  release: 7,
  details,
})

test('a failure says what went wrong and how long it took', () => {
  const details = { report: 'x', evidence: true, error_class: 'MemoryError', message: 'no room', duration_ms: 12.4 }
  expect(detailText(entry('run-failed', details))).toBe('12 ms · MemoryError: no room')
  expect(detailText(entry('ran', { evidence: false, duration_ms: 61_000 }))).toBe('1 min 1 s · not counted in verdicts')
})

test('a draw says what for, a deed by whom, and nothing is said of what is not known', () => {
  expect(detailText(entry('held-back', { stage: 2, arm: 'control', bucket: 5, outcome: null }))).toBe('as control')
  expect(detailText(entry('revoked', { actor: 'demo' }))).toBe('by demo')
  expect(detailText(entry('checked-in', { app_version: null }))).toBe('')
})
