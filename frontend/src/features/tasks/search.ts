/** The queries of the pages' addresses. */
import type { ColumnsSearch } from '@/lib/columns'
import { orderIn } from '@/lib/order'
import { text } from '@/lib/search'
import { PERIODS } from './runs'

export type TasksSearch = ColumnsSearch & {
  q?: string | undefined
  scenario?: string | undefined
  order?: ReturnType<typeof readOrder>
}
export type TaskSearch = { version?: string | undefined; file?: string | undefined; days?: number | undefined }
export type DiffSearch = { from?: string | undefined; to?: string | undefined; file?: string | undefined }

export function readTasksSearch(search: Record<string, unknown>): TasksSearch {
  return {
    q: text(search, 'q'),
    scenario: text(search, 'scenario'),
    order: readOrder(search),
    columns: text(search, 'columns'),
  }
}

/** Returns the API's query for the list of tasks. */
export function queryOf({ q, scenario, order }: TasksSearch) {
  return {
    ...(q ? { q } : {}),
    ...(scenario ? { scenario } : {}),
    ...(order ? { order } : {}),
    limit: 100,
    details: true,
  }
}

/** Returns the API's query for the list of scenarios. */
export function scenariosQueryOf({ q }: TasksSearch) {
  return { limit: 100, ...(q ? { q } : {}) }
}

function readOrder(search: Record<string, unknown>) {
  return orderIn(search, ['changed_at', 'created_at', 'name', 'version_count'])
}

export function readTaskSearch(search: Record<string, unknown>): TaskSearch {
  const days = PERIODS.find((each) => String(each) === text(search, 'days') || each === search.days)
  return { version: text(search, 'version'), file: text(search, 'file'), days }
}

export function readDiffSearch(search: Record<string, unknown>): DiffSearch {
  return { from: text(search, 'from'), to: text(search, 'to'), file: text(search, 'file') }
}
