import { expect, test } from 'vitest'
import { someRelease } from './exampleRelease'
import { chartEvents, coverageColumns, rateColumns, type Series } from './series'

const ARM = { drawn: [2, 4], offered: [1, 4], installed: [0, 4], healthy: [0, 3], failed: [0, 1], silent: [0, 0] }
const SERIES: Series = {
  step_s: 1,
  at: [10, 11],
  treatment: { ...ARM, rate: [null, 0.25] },
  control: { ...ARM, rate: [null, 0.5] },
  low: [0, 0.01],
  high: [1, 0.3],
  limit: 0.01,
  stop_rate: 0.5,
  stop_after: 8,
  confidence: 0.992,
  counted_at: null,
  events: [
    { at: '2026-05-01T10:01:00Z', kind: 'move', name: 'promote', actor: 'system', text: '', state: 'running', position: 1 },
    { at: '2026-05-01T10:02:00Z', kind: 'verdict', name: 'fail', actor: 'system', text: '', state: '', position: 1 },
    { at: '2026-05-01T10:02:00Z', kind: 'move', name: 'roll-back', actor: 'system', text: '', state: 'rolled-back', position: 1 },
  ], // prettier-ignore
}

test('coverage has a column for each count, and begins with nothing', () => {
  const [times, drawn, , installed] = coverageColumns(SERIES)
  expect([times, drawn, installed]).toEqual([
    [9, 10, 11],
    [0, 2, 4],
    [0, 0, 4],
  ])
})

test('bounds that few devices leave wide do not press the rates to the ground', () => {
  const [, treatment, control, low, high] = rateColumns(SERIES)
  expect([treatment, low]).toEqual([
    [null, null, 0.25],
    [0, 0, 0.01],
  ])
  expect(high).toEqual([0.65, 0.65, 0.3])
  expect(control).toEqual([null, null, 0.5])
})

test('events are named by where they led', () => {
  expect(chartEvents(SERIES, someRelease().stages)).toEqual([
    { at: 1777629660, label: 'Gray 20 %', tone: 'running' },
    { at: 1777629720, label: 'verdict: fail', tone: 'bad' },
    { at: 1777629720, label: 'Rolled back', tone: 'bad' },
  ])
})
