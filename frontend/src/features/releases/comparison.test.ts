import { expect, test } from 'vitest'
import { compared } from './comparison'
import { readCounts, readFigures } from './figures'

const arm = (timed: number) => ({ reported: timed, timed, p50_ms: 37.34, p95_ms: 45.67, p99_ms: 1890.1 })
const times = (timed: number) =>
  compared(readFigures({ treatment: arm(timed), control: {} }), null)
    .filter(({ name }) => name.startsWith('Run time'))
    .map(({ treatment }) => treatment.now)

test('a percentile is shown once there are enough runs for it', () => {
  expect(times(3)).toEqual(['from 5 runs', 'from 20 runs', 'from 100 runs'])
  expect(times(19)).toEqual(['37 ms', 'from 20 runs', 'from 100 runs'])
  expect(times(100)).toEqual(['37 ms', '46 ms', '1.9 s'])
})

test('what nobody reported has no times', () => {
  expect(compared(readFigures({ treatment: arm(3), control: {} }), null).at(-1)?.control.now).toBe('–')
})

test('what the decision counted stands beside what is counted now', () => {
  const evidence = { counts: { treatment: { drawn: 93, reported: 50, failed: 5 }, control: null } }
  const now = readFigures({ treatment: { drawn: 93, reported: 62, failed: 9 }, control: {} })
  const failed = compared(now, readCounts(evidence)).find(({ name }) => name === 'Failed')
  expect(failed?.treatment).toEqual({ decided: '5 of 50 (10 %)', now: '9 of 62 (15 %)' })
  expect(failed?.control).toEqual({ decided: '–', now: '–' })
})
