import { useMemo } from 'react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { every, keyOf, reading } from '@/api/reading'
import type { ReleaseDetail } from '@/api/schemas'
import { ageOf } from './useRelease'
import { useRefetchOnChange } from './useRefetchOnChange'

const ADDRESS = '/api/v1/releases/{release}/rollback-plan'
const AGAIN_MS = 10_000

/** Returns the preview of a rollback, for people who may make it. */
export function useRollback(release: ReleaseDetail, isWanted: boolean) {
  const queries = useQueryClient()
  const params = { path: { release: release.id } }
  const plan = { ...reading(ADDRESS, params), retry: false }
  useRefetchOnChange(keyOf(ADDRESS, params), ageOf(release))
  const { data: read, error } = useQuery({ ...plan, enabled: isWanted, refetchInterval: every(AGAIN_MS) })
  // The number of devices is that of the page, which follows live.
  const { having } = release
  const data = useMemo(() => read && having && { ...read, ...having }, [read, having])
  return {
    data: data ?? read,
    error,
    /**
     * Returns whether it would affect more than this release; false if unknown, so that nobody is kept from halting.
     */
    takesMore: (): Promise<boolean> =>
      queries.query({ ...plan, staleTime: 'static' }).then(
        ({ withdrawn }) => withdrawn.length > 0,
        () => false,
      ),
  }
}
