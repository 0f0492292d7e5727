/** What a serving host's runtime counts, of the host as a whole and of one plan. */
import type { Schemas } from '@/api/schemas'
import { count, plural, share } from '@/lib/format'
import { asNumber, asObject, asText } from '@/lib/json'

export type Host = Schemas['ServingHost']

type Cache = { bytes: number; hits: number; misses: number }
/** A queue of batches: of all plans, or of one that has executors reserved; `low` and `high` are its priorities. */
export type Queue = { plan: string; executors: number; low: number; high: number; backlogS: number; refused: number }
export type HostState = {
  sharedBytes: number
  unsharedBytes: number
  parameters: number
  results: Cache
  stages: Cache & { different: number; shared: number }
  queues: Queue[]
  executors: number
  restarts: number
  shed: number
}

/** Reads what a host told; what it did not tell counts as zero. */
export function readHost(told: Host['state']): HostState {
  const memory = asObject(told.memory)
  const stages = asObject(told.stages)
  const executors = asObject(told.executors)
  return {
    sharedBytes: number(memory.shared_bytes),
    unsharedBytes: number(memory.unshared_bytes),
    parameters: number(memory.parameters),
    results: cache(told.results),
    stages: { ...cache(stages), different: number(stages.different), shared: number(stages.shared) },
    queues: Object.entries(asObject(told.queues)).map(([plan, each]) => queue(plan, asObject(each))),
    executors: Array.isArray(executors.processes) ? executors.processes.length : 0,
    restarts: number(executors.restarts),
    shed: number(executors.shed),
  }
}

/** What one plan does on a host; latencies in milliseconds, null of no prediction. */
export type PlanState = {
  engine: string
  recordsPerS: number
  refused: number
  errors: number
  records: number
  fromCache: number
  p50: number | null
  p99: number | null
  batchP99: number | null
  sharedStages: number
  hitRate: number | null
  reservation: { cores: number; bytes: number } | null
}

/** Reads what a host counts of a plan; null if it counts nothing. */
export function readPlan(told: Schemas['HostedPlan']['runtime']): PlanState | null {
  if (Object.keys(told).length === 0) return null
  const [single, batch, reserved] = [asObject(told.single), asObject(told.batch), asObject(told.reservation)]
  return {
    engine: asText(told.engine),
    recordsPerS: number(told.records_per_s),
    refused: number(told.refused),
    errors: number(told.errors),
    records: number(told.records),
    fromCache: number(told.from_cache),
    p50: inMilliseconds(single.p50),
    p99: inMilliseconds(single.p99),
    batchP99: inMilliseconds(batch.p99),
    sharedStages: number(told.shared_stages),
    hitRate: asNumber(asObject(told.sharing).hit_rate),
    reservation: told.reservation ? { cores: number(reserved.cores), bytes: number(reserved.memory_bytes) } : null,
  }
}

/** How much less memory parameters take because each is there once: 25 stands for a twenty-fifth; null of none. */
export function savedBy({ sharedBytes, unsharedBytes }: HostState): number | null {
  return sharedBytes > 0 ? unsharedBytes / sharedBytes : null
}

/** The share of look-ups that a cache answered; null if there was none. */
export function hitRate({ hits, misses }: Pick<Cache, 'hits' | 'misses'>): number | null {
  return hits + misses > 0 ? share(hits, hits + misses) : null
}

/** What a host suffers from, in words; empty if nothing. */
export function impairments(host: Host): string[] {
  const { restarts, shed } = readHost(host.state)
  const corrupt = asObject(host.state.memory).corrupt
  return [
    host.isolated > 0 && `${host.isolated} isolated`,
    Array.isArray(corrupt) && corrupt.length > 0 && `${plural(corrupt.length, 'damaged file')} of parameters`,
    restarts > 0 && `${plural(restarts, 'executor')} started anew`,
    shed > 0 && `${count(shed)} batches shed`,
  ].filter((each) => each !== false)
}

function queue(plan: string, told: Record<string, unknown>): Queue {
  return {
    plan,
    executors: number(told.executors),
    low: number(told.low),
    high: number(told.high),
    backlogS: number(told.backlog_s),
    refused: number(told.refused),
  }
}

function cache(told: unknown): Cache {
  const { bytes, hits, misses } = asObject(told)
  return { bytes: number(bytes), hits: number(hits), misses: number(misses) }
}

function number(told: unknown): number {
  return asNumber(told) ?? 0
}

function inMilliseconds(told: unknown): number | null {
  const seconds = asNumber(told)
  return seconds === null ? null : 1000 * seconds
}
