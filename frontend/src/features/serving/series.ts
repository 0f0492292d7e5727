/** What was predicted and what hosts counted, minute by minute, as columns of charts. */
import type { Schemas } from '@/api/schemas'
import type { Columns } from '@/lib/seriesBuffer'
import { hitRate, readHost } from './runtime'

export type Point = Schemas['FiguresPoint']
type Minute = Schemas['HostMinute']

const MINUTE_S = 60
/** Charts show so many versions at most: those that were asked most. */
const MOST_VERSIONS = 4

/** The versions in these points, those with the most requests first. */
export function busiest(points: readonly Point[]): string[] {
  const requests = new Map<string, number>()
  for (const { version, figures } of points) requests.set(version, (requests.get(version) ?? 0) + figures.requests)
  return [...requests]
    .sort(([, one], [, other]) => other - one)
    .slice(0, MOST_VERSIONS)
    .map(([version]) => version)
}

/** Latencies of one version: p50, p90 and p99 in milliseconds; a minute without requests is a gap. */
export function latencyColumns(points: readonly Point[], version: string | undefined): Columns {
  const found = new Map(
    points.filter((each) => each.version === version).map((each) => [seconds(each.at), each.figures]),
  )
  const times = minutesIn(points)
  const column = (name: 'p50_ms' | 'p90_ms' | 'p99_ms') => times.map((at) => found.get(at)?.[name] ?? null)
  return [times, column('p50_ms'), column('p90_ms'), column('p99_ms')]
}

/** Requests per second of each of these versions. */
export function requestColumns(points: readonly Point[], versions: readonly string[]): Columns {
  const found = new Map(points.map((each) => [`${seconds(each.at)} ${each.version}`, each.figures.requests_per_s]))
  const times = minutesIn(points)
  return [times, ...versions.map((version) => times.map((at) => found.get(`${at} ${version}`) ?? 0))]
}

/** Records per second that failed and that were refused, of all versions. */
export function errorColumns(points: readonly Point[]): Columns {
  const times = minutesIn(points)
  const sums = new Map(times.map((at) => [at, { failed: 0, refused: 0 }]))
  for (const { at, figures } of points) {
    const sum = sums.get(seconds(at))
    if (sum) {
      sum.failed += figures.failed / figures.seconds
      sum.refused += figures.refused / figures.seconds
    }
  }
  return [times, times.map((at) => sums.get(at)?.failed ?? 0), times.map((at) => sums.get(at)?.refused ?? 0)]
}

/** Memory of a host without and with sharing, and the hit rates of its caches in each minute. */
export function hostColumns(minutes: readonly Minute[]): Record<'memory' | 'hits', Columns> {
  const times = minutes.map(({ at }) => seconds(at))
  const states = minutes.map(({ state }) => readHost(state))
  const rates = (name: 'results' | 'stages') =>
    states.map((state, index) => {
      const before = states[index - 1]?.[name] ?? { hits: 0, misses: 0 }
      const [hits, misses] = [state[name].hits - before.hits, state[name].misses - before.misses]
      // Fewer than before: the host has begun anew.
      return hits < 0 || misses < 0 ? hitRate(state[name]) : hitRate({ hits, misses })
    })
  return {
    memory: [times, states.map((each) => each.unsharedBytes), states.map((each) => each.sharedBytes)],
    hits: [times, rates('results'), rates('stages')],
  }
}

/** All minutes from the first to the last of the points, in seconds since 1970. */
function minutesIn(points: readonly Point[]): number[] {
  const times = points.map(({ at }) => seconds(at))
  if (times.length === 0) return []
  const first = times.reduce((one, other) => Math.min(one, other))
  const last = times.reduce((one, other) => Math.max(one, other))
  return Array.from({ length: (last - first) / MINUTE_S + 1 }, (_, index) => first + index * MINUTE_S)
}

function seconds(at: string): number {
  return Date.parse(at) / 1000
}
