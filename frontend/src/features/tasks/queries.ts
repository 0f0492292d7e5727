/** The queries of the task's page, refreshed when the task's releases move. */
import { useQuery } from '@tanstack/react-query'
import { every, LASTING, reading, type Answer } from '@/api/reading'
import type { Release } from '@/api/schemas'
import { useRefetchOnMoves } from '@/hooks/useRefetchOnMoves'
import type { TaskPath } from '@/lib/taskName'

export const VERSION = '/api/v1/tasks/{scenario}/{task}/versions/{version}'
const RELEASES = '/api/v1/releases'
export const SIMULATION = '/api/v1/releases/{release}/simulation'
const INSTALLED = '/api/v1/tasks/{scenario}/{task}/installed'
const RUNS = '/api/v1/tasks/{scenario}/{task}/runs'
/** Milliseconds between two counts, because installations are no events. */
const COUNT_MS = 10_000
/** The number of newest releases that are read. */
export const MOST_RELEASES = 200

export type VersionDetail = Answer<typeof VERSION>
export type Releases = Answer<typeof RELEASES>
export type TaskRuns = Answer<typeof RUNS>

export function useVersion(path: TaskPath, version: string) {
  return useQuery(reading(VERSION, { path: { ...path, version } }))
}

/** Returns how the task ran in the last days; counted again while somebody looks. */
export function useTaskRuns(path: TaskPath, days: number) {
  return useQuery({ ...reading(RUNS, { path, query: { days } }), refetchInterval: every(COUNT_MS) })
}

/** Returns the newest releases of the task; refreshed whenever one of them moves. */
export function useReleases({ scenario, task }: TaskPath) {
  const name = `${scenario}/${task}`
  const moved = [RELEASES, SIMULATION, VERSION, INSTALLED].map((address) => [address])
  useRefetchOnMoves(moved, (event) => event.task === name)
  return useQuery(reading(RELEASES, { query: { task: name, limit: MOST_RELEASES } }))
}

/**
 * Returns whether a version is in quarantine. Only a rollback of one of its releases puts it there: others are not
 * queried.
 */
export function useIsQuarantined(path: TaskPath, version: string, releases: readonly Release[]): boolean {
  const { data } = useQuery({
    ...reading(VERSION, { path: { ...path, version } }),
    ...LASTING,
    enabled: releases.some(({ state }) => state === 'rolled-back'),
  })
  return Boolean(data?.quarantine)
}
