import { expect, test } from 'vitest'
import { compared } from './comparison'
import { readFigures } from './figures'

const arm = (reported: number) => ({ reported, p50_ms: 12.34, p95_ms: 45.67, p99_ms: 89.01 })
const times = (reported: number) =>
  compared(readFigures({ treatment: arm(reported), control: {} }))
    .filter(({ name }) => name.startsWith('Run time'))
    .map(({ treatment }) => treatment)

test('a percentile is shown once there are enough reports for it', () => {
  expect(times(19)).toEqual(['12.3 ms', 'of 20 reports', 'of 100 reports'])
  expect(times(20)).toEqual(['12.3 ms', '45.7 ms', 'of 100 reports'])
  expect(times(100)).toEqual(['12.3 ms', '45.7 ms', '89 ms'])
})

test('what nobody reported has no times', () => {
  expect(compared(readFigures({ treatment: arm(3), control: {} })).at(-1)?.control).toBe('–')
})
