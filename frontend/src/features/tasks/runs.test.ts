import { expect, test } from 'vitest'
import { className, endsText, runTime, timesText } from './runs'

test('times are read in milliseconds or seconds', () => {
  expect([runTime(0.1), runTime(49.02), runTime(1500)]).toEqual(['0.1 ms', '49 ms', '1.5 s'])
  expect(timesText({ p50: 4.1, p90: 5, p99: 7.2 })).toBe('4.1 ms / 5 ms / 7.2 ms')
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
