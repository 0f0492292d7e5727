/** What the task's page reads, kept up to date by what happens to the task's releases. */
import { useQueries, useQuery } from '@tanstack/react-query'
import { every, keyOf, reading, type Answer } from '@/api/reading'
import type { Release } from '@/api/schemas'
import { usePages } from '@/hooks/usePages'
import { useReadOnMoves } from '@/hooks/useReadOnMoves'
import type { TaskPath } from '@/lib/taskName'
import { mayBeQuarantined } from './versions'

export const VERSION = '/api/v1/tasks/{scenario}/{task}/versions/{version}'
const VERSIONS = '/api/v1/tasks/{scenario}/{task}/versions'
const RELEASES = '/api/v1/releases'
const INSTALLED = '/api/v1/tasks/{scenario}/{task}/installed'
/** Installations are no events: they are counted anew so often while somebody looks. */
const COUNT_MS = 10_000
/** So many of the newest releases are looked at. */
const MOST_RELEASES = 200

export type VersionDetail = Answer<typeof VERSION>
export type Installed = Answer<typeof INSTALLED>

export function useVersions(path: TaskPath) {
  return usePages(VERSIONS, { path, query: { limit: 200 } })
}

export function useVersion(path: TaskPath, version: string | undefined) {
  return useQuery({
    ...reading(VERSION, { path: { ...path, version: version ?? '' } }),
    enabled: version !== undefined,
  })
}

export function useInstalled(path: TaskPath) {
  return useQuery({ ...reading(INSTALLED, { path }), refetchInterval: every(COUNT_MS) })
}

/** The newest releases of the task; read anew whenever one of them moves. */
export function useReleases({ scenario, task }: TaskPath) {
  const name = `${scenario}/${task}`
  useReadOnMoves([keyOf(RELEASES), keyOf(VERSION), keyOf(INSTALLED)], ({ task: moved }) => moved === name)
  return useQuery(reading(RELEASES, { query: { task: name, limit: MOST_RELEASES } }))
}

/** The versions that are in quarantine: those that a release was rolled back from are asked about it. */
export function useQuarantined(path: TaskPath, releases: readonly Release[]): Set<string> {
  return useQueries({
    queries: mayBeQuarantined(releases).map((version) => reading(VERSION, { path: { ...path, version } })),
    combine: (found) => new Set(found.flatMap(({ data }) => (data?.quarantine ? [data.version] : []))),
  })
}
