import { expect, test } from 'vitest'
import { someRelease } from './exampleRelease'
import { boundsText, chartEvents, coverageColumns, rateColumns, type Series } from './series'
import type { Withdrawal } from './withdrawal'

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

const RUNNING = { having: { devices: 3, counted_at: null }, withdrawal: null, state: 'running' } as const

test('coverage has a column for each count, begins with nothing, and ends with the devices that have it now', () => {
  const [times, drawn, , having] = coverageColumns(SERIES, RUNNING)
  expect([times, drawn, having]).toEqual([
    [9, 10, 11],
    [0, 2, 4],
    [0, 0, 3],
  ])
  expect(coverageColumns(SERIES, { ...RUNNING, state: 'superseded' })[3]).toEqual([0, 0, 4])
})

test('while a version is taken back, the line of who has it falls, beyond the end of the release', () => {
  const withdrawal = { curve: [[11, 4], [13, 1]] } as unknown as Withdrawal
  const back = { having: { devices: 1, counted_at: null }, withdrawal, state: 'rolled-back' } as const
  const [times, drawn, , having] = coverageColumns(SERIES, back)
  expect([times, drawn, having]).toEqual([
    [9, 10, 11, 13],
    [0, 2, 4, 4],
    [0, 0, 4, 1],
  ])
}) // prettier-ignore

test('bounds begin with the first report, and are said as they were then and are now', () => {
  const [, treatment, control, low, high] = rateColumns(SERIES)
  expect([treatment, control, low, high]).toEqual([
    [null, null, 0.25],
    [null, null, 0.5],
    [null, null, 0.01],
    [null, null, 0.3],
  ])
  const reported = { ...SERIES, treatment: { ...ARM, rate: [0, 0.25] }, low: [0, 0.0123], high: [0.996, 0.3012] }
  expect(boundsText(reported)).toBe(
    'The true rate lies between 1.2 % and 30.1 %; after the first reports it could be up to 99.6 %.',
  )
  expect(boundsText({ ...SERIES, treatment: { ...ARM, rate: [null, null] } })).toMatch(/^No device has reported/)
})

test('events are named by where they led', () => {
  expect(chartEvents(SERIES, someRelease().stages)).toEqual([
    { at: 1777629660, label: 'Gray 20 %', tone: 'running' },
    { at: 1777629720, label: 'verdict: fail', tone: 'bad' },
    { at: 1777629720, label: 'Rolled back', tone: 'bad' },
  ])
})
