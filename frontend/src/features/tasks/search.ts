/** The queries of the pages' addresses. */
import type { ColumnsSearch } from '@/lib/columns'
import { text } from '@/lib/search'
import { PERIODS } from './runs'

export type TasksSearch = ColumnsSearch & { q?: string | undefined; scenario?: string | undefined }
export type TaskSearch = { version?: string | undefined; days?: number | undefined }
export type DiffSearch = { from?: string | undefined; to?: string | undefined }

export function readTasksSearch(search: Record<string, unknown>): TasksSearch {
  return { q: text(search, 'q'), scenario: text(search, 'scenario'), columns: text(search, 'columns') }
}

export function readTaskSearch(search: Record<string, unknown>): TaskSearch {
  const days = PERIODS.find((each) => String(each) === text(search, 'days') || each === search.days)
  return { version: text(search, 'version'), days }
}

export function readDiffSearch(search: Record<string, unknown>): DiffSearch {
  return { from: text(search, 'from'), to: text(search, 'to') }
}
