/** Names to choose from; kept for a minute. */
import { useQuery } from '@tanstack/react-query'
import { LASTING, reading } from '@/api/reading'

const MOST = 200

export function useAppNames(): string[] {
  const apps = useQuery({ ...reading('/api/v1/apps', { query: { limit: MOST } }), ...LASTING })
  return apps.data?.results.map(({ slug }) => slug) ?? []
}

export function useTaskNames(): string[] {
  const tasks = useQuery({ ...reading('/api/v1/tasks', { query: { limit: MOST } }), ...LASTING })
  return tasks.data?.results.map(({ name }) => name) ?? []
}
