import { expect, test } from 'vitest'
import { busiest, errorColumns, hostColumns, latencyColumns, requestColumns, type Point } from './series'

const START = Date.parse('2026-05-01T12:00:00Z')
const SECONDS = START / 1000
const point = (minute: number, version: string, figures: Partial<Point['figures']> = {}) =>
  ({
    at: new Date(START + 60_000 * minute).toISOString(),
    version,
    figures: {
      seconds: 60,
      requests: 60,
      requests_per_s: 1,
      failed: 0,
      refused: 0,
      p50_ms: 1,
      p90_ms: 2,
      p99_ms: 3,
      ...figures,
    },
  }) as Point

const points = [
  point(0, '1.0.0', { failed: 30, refused: 6 }),
  point(0, '1.1.0', { failed: 30, requests: 300, requests_per_s: 5 }),
  point(2, '1.0.0', { p99_ms: 9 }),
]
const TIMES = [SECONDS, SECONDS + 60, SECONDS + 120]

test('the versions with the most requests come first, four at most', () => {
  expect(busiest(points)).toEqual(['1.1.0', '1.0.0'])
  const many = ['a', 'b', 'c', 'd', 'e'].map((version, index) => point(0, version, { requests: index }))
  expect(busiest(many)).toEqual(['e', 'd', 'c', 'b'])
})

test('the latency of one version; a minute in which nobody asked it is a gap', () => {
  expect(latencyColumns(points, '1.0.0')).toEqual([TIMES, [1, null, 1], [2, null, 2], [3, null, 9]])
  expect(latencyColumns(points, '2.0.0')).toEqual([TIMES, [null, null, null], [null, null, null], [null, null, null]])
  expect(latencyColumns([], '1.0.0')).toEqual([[], [], [], []])
})

test('requests of each version, and what went wrong in all of them', () => {
  expect(requestColumns(points, ['1.1.0', '1.0.0'])).toEqual([TIMES, [5, 0, 0], [1, 0, 1]])
  expect(errorColumns(points)).toEqual([TIMES, [1, 0, 0], [0.1, 0, 0]])
})

test('memory of a host, and the hit rate within each minute, also when it began anew', () => {
  const minute = (at: number, hits: number, misses: number) => ({
    at: new Date(START + 60_000 * at).toISOString(),
    state: { memory: { shared_bytes: 4, unshared_bytes: 100 }, results: { hits, misses }, stages: {} },
  })
  expect(hostColumns([minute(0, 5, 5), minute(1, 8, 6), minute(2, 8, 6), minute(3, 1, 3)])).toEqual({
    memory: [
      [...TIMES, SECONDS + 180],
      [100, 100, 100, 100],
      [4, 4, 4, 4],
    ],
    hits: [
      [...TIMES, SECONDS + 180],
      [0.5, 0.75, null, 0.25],
      [null, null, null, null],
    ],
  })
})
