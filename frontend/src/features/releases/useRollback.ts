import { useQuery, useQueryClient } from '@tanstack/react-query'
import { every, keyOf, reading } from '@/api/reading'
import type { ReleaseDetail } from '@/api/schemas'
import { ageOf } from './useRelease'
import { useRefetchOnChange } from './useRefetchOnChange'

const ADDRESS = '/api/v1/releases/{release}/rollback-plan'
const AGAIN_MS = 10_000

/** What rolling back a release would do now, for whoever may. */
export function useRollback(release: ReleaseDetail, isWanted: boolean) {
  const queries = useQueryClient()
  const params = { path: { release: release.id } }
  const plan = { ...reading(ADDRESS, params), retry: false }
  useRefetchOnChange(keyOf(ADDRESS, params), ageOf(release))
  const { data, error } = useQuery({ ...plan, enabled: isWanted, refetchInterval: every(AGAIN_MS) })
  return {
    data,
    error,
    /** Whether it would take more than this release. What cannot be known keeps nobody from halting. */
    takesMore: (): Promise<boolean> =>
      queries.query({ ...plan, staleTime: 'static' }).then(
        ({ withdrawn }) => withdrawn.length > 0,
        () => false,
      ),
  }
}
