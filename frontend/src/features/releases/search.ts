/** The queries of the pages' addresses. */
import type { ReleaseState } from '@/api/schemas'
import type { ColumnsSearch } from '@/lib/columns'
import { RELEASE_STATES } from '@/lib/releaseState'
import { orderIn } from '@/lib/order'
import { choice, text } from '@/lib/search'
import { readTimePart, type TimePartSearch } from '@/lib/timePart'

/** `task`: "<scenario>/<task>". */
export type ReleasesSearch = ColumnsSearch & {
  task?: string | undefined
  app?: string | undefined
  state?: ReleaseState | undefined
  order?: ReturnType<typeof readOrder>
}
/** `cell` is the cell of the simulation whose log is open; `place` the state whose moves are shown. */
export type ReleaseSearch = { cell?: string | undefined; place?: string | undefined } & TimePartSearch

export function readReleasesSearch(search: Record<string, unknown>): ReleasesSearch {
  return {
    task: text(search, 'task'),
    app: text(search, 'app'),
    state: choice(search, 'state', RELEASE_STATES),
    order: readOrder(search),
    columns: text(search, 'columns'),
  }
}

/** Returns the API's query for the list of releases. */
export function queryOf({ task, app, state, order }: ReleasesSearch) {
  return { ...filtersOf({ task, app, state }), ...(order ? { order } : {}), details: true }
}

/** Returns the filters that are set. */
export function filtersOf({ task, app, state }: Pick<ReleasesSearch, 'task' | 'app' | 'state'>) {
  return { ...(task ? { task } : {}), ...(app ? { app } : {}), ...(state ? { state } : {}) }
}

function readOrder(search: Record<string, unknown>) {
  return orderIn(search, ['app', 'created_at', 'moved_at', 'state', 'task'])
}

export function readReleaseSearch(search: Record<string, unknown>): ReleaseSearch {
  return { cell: text(search, 'cell'), place: text(search, 'place'), ...readTimePart(search) }
}
