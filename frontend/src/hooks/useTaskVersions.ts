/** The versions of a task, and where they are installed. */
import { useQuery } from '@tanstack/react-query'
import { every, reading } from '@/api/reading'
import type { TaskPath } from '@/lib/taskName'
import { usePages } from './usePages'

/** Milliseconds between two counts, because installations are no events. */
const COUNT_MS = 10_000

export function useVersions(path: TaskPath) {
  return usePages('/api/v1/tasks/{scenario}/{task}/versions', { path, query: { limit: 200 } })
}

export function useInstalled(path: TaskPath) {
  return useQuery({
    ...reading('/api/v1/tasks/{scenario}/{task}/installed', { path }),
    refetchInterval: every(COUNT_MS),
  })
}
