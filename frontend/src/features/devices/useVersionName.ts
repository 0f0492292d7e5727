import { useQuery } from '@tanstack/react-query'
import { LASTING, rowsOf } from '@/api/reading'
import { useRights } from '@/hooks/useRights'
import { taskPath } from '@/lib/taskName'

const VERSIONS = '/api/v1/tasks/{scenario}/{task}/versions'

type Named = { version: string | null; isLoading: boolean }

/**
 * Returns the name of a version by the beginning of its manifest's digest, by which devices identify it; null if
 * unknown.
 */
export function useVersionName(task: string, manifest: string): Named {
  const rights = useRights()
  const params = { path: taskPath(task) }
  const { data, isLoading } = useQuery({
    queryKey: [VERSIONS, params, 'named', manifest],
    queryFn: async ({ signal }) => {
      for await (const row of rowsOf(VERSIONS, params, signal)) {
        if (row.manifest_digest.startsWith(manifest)) return row.version
      }
      return null
    },
    ...LASTING,
    enabled: rights.isKnown && rights.may('view', `scenario:${params.path.scenario}`),
  })
  return { version: data ?? null, isLoading: isLoading || !rights.isKnown }
}
