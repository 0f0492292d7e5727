/** The queries of the pages' addresses. */
import type { ReleaseState } from '@/api/schemas'
import { RELEASE_STATES } from '@/lib/releaseState'
import { choice, text } from '@/lib/search'
import { readTimePart, type TimePartSearch } from '@/lib/timePart'

/** `task`: "<scenario>/<task>". */
export type ReleasesSearch = {
  task?: string | undefined
  app?: string | undefined
  state?: ReleaseState | undefined
}
/** `cell` is the cell of the simulation whose log is open; `place` the state whose moves are shown. */
export type ReleaseSearch = { cell?: string | undefined; place?: string | undefined } & TimePartSearch

export function readReleasesSearch(search: Record<string, unknown>): ReleasesSearch {
  return { task: text(search, 'task'), app: text(search, 'app'), state: choice(search, 'state', RELEASE_STATES) }
}

export function readReleaseSearch(search: Record<string, unknown>): ReleaseSearch {
  return { cell: text(search, 'cell'), place: text(search, 'place'), ...readTimePart(search) }
}
