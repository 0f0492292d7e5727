import { expect, test } from 'vitest'
import { className, endsText, placeOf, runTime, scaleOf, ticksOf, type ClassRuns, type StartRuns } from './runs'

const none: StartRuns = { runs: 0, failed: 0, duration_ms: null, peak_memory_kb: null }
const took = (p50: number, p90: number, p99: number): StartRuns => ({
  ...none,
  runs: 9,
  duration_ms: { p50, p90, p99 },
})
const some = (cold: StartRuns, warm: StartRuns): ClassRuns => ({
  os: '', performance: '', runs: 18, failed: 0, shed: 0, cold, warm, vm_ends: [], model_backends: [],
}) // prettier-ignore

test('the scale reaches from the shortest median to the longest run, in whole powers of ten', () => {
  const scale = scaleOf([some(took(40, 60, 120), took(4, 5, 7)), some(none, none)])
  expect(scale).toEqual({ from: 1, to: 1000 })
  expect(ticksOf({ from: 1, to: 1000 })).toEqual([1, 10, 100, 1000])
  expect(placeOf(10, { from: 1, to: 1000 })).toBeCloseTo(1 / 3)
})

test('times that are all alike have a scale, too; no times have none', () => {
  expect(scaleOf([some(none, took(10, 10, 10))])).toEqual({ from: 10, to: 100 })
  expect(scaleOf([some(none, none)])).toBeNull()
})

test('times are read in milliseconds or seconds', () => {
  expect([runTime(0.1), runTime(49.02), runTime(1500)]).toEqual(['0.1 ms', '49 ms', '1.5 s'])
})

test('classes have names, even those that say nothing', () => {
  expect(className({ os: 'android', performance: 'low' })).toBe('android, slow')
  expect(className({ os: 'other', performance: 'other' })).toBe('another system, of another speed')
  expect(className({ os: '', performance: '' })).toBe('not said')
})

test('causes are told with their shares', () => {
  const ends = [
    { cause: 'idle', count: 12 },
    { cause: 'killed', count: 4 },
  ]
  expect(endsText({ vm_ends: ends })).toBe('idle 12 (75 %), killed 4 (25 %)')
})
