import { expect, test } from 'vitest'
import { hitRate, impairments, readHost, readPlan, savedBy, type Host } from './runtime'

const state = {
  memory: { shared_bytes: 100, unshared_bytes: 2500, parameters: 7, corrupt: ['ab'] },
  results: { bytes: 10, hits: 3, misses: 1 },
  stages: { bytes: 20, hits: 0, misses: 0, different: 9, shared: 4 },
  queues: {
    '': { executors: 2, low: 1, high: 2, backlog_s: 0.5, bytes: 9, refused: 3 },
    abc: { executors: 1, low: 0, high: 0, backlog_s: 0, bytes: 0, refused: 0 },
  },
  executors: { processes: [11, null], restarts: 1, shed: 5, busy_s: 3 },
}

test('what a host counts', () => {
  const read = readHost(state)
  expect(read).toMatchObject({
    sharedBytes: 100,
    unsharedBytes: 2500,
    parameters: 7,
    executors: 2,
    restarts: 1,
    shed: 5,
  })
  expect(read.stages).toMatchObject({ different: 9, shared: 4 })
  expect(read.queues).toEqual([
    { plan: '', executors: 2, low: 1, high: 2, backlogS: 0.5, refused: 3 },
    { plan: 'abc', executors: 1, low: 0, high: 0, backlogS: 0, refused: 0 },
  ])
  expect(savedBy(read)).toBe(25)
  expect(hitRate(read.results)).toBe(0.75)
  expect(hitRate(read.stages)).toBeNull()
})

test('a host that has told nothing yet counts nothing', () => {
  const read = readHost({})
  expect(read).toMatchObject({ sharedBytes: 0, executors: 0, queues: [] })
  expect(savedBy(read)).toBeNull()
})

test('what impairs a host, and only that', () => {
  const host = { isolated: 2, state } as unknown as Host
  expect(impairments(host)).toEqual([
    '2 isolated',
    '1 damaged file of parameters',
    '1 executor started anew',
    '5 batches shed',
  ])
  expect(impairments({ ...host, isolated: 0, state: {} })).toEqual([])
})

test('what is counted of a plan: seconds become milliseconds', () => {
  const told = {
    engine: 'request-response',
    records: 10,
    from_cache: 4,
    single: { p50: 0.00002, p99: 0.001 },
    batch: { p99: null },
    shared_stages: 2,
    sharing: { looks_up: true, hit_rate: 0.5 },
    reservation: { cores: 1, memory_bytes: 1024 },
  }
  expect(readPlan(told)).toMatchObject({
    engine: 'request-response',
    p50: 0.02,
    p99: 1,
    batchP99: null,
    sharedStages: 2,
    hitRate: 0.5,
    reservation: { cores: 1, bytes: 1024 },
  })
  expect(readPlan({ ...told, sharing: null, reservation: null })).toMatchObject({ hitRate: null, reservation: null })
  expect(readPlan({})).toBeNull()
})
