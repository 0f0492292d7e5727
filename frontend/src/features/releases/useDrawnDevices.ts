import { useInfiniteQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { every, pages } from '@/api/reading'
import { askedOf, type DrawnSearch } from './drawn'

const AGAIN_MS = 10_000
const ROWS = 100
/** More pages than these are not read again by themselves. */
const FEW = 2

/** Devices of a release, as DataTable takes them. */
export function useDrawnDevices(release: number, search: DrawnSearch) {
  const asked = { path: { release }, query: { ...askedOf(search), limit: ROWS } }
  const query = useInfiniteQuery({
    ...pages('/api/v1/releases/{release}/devices', asked),
    refetchInterval: ({ state }) => (state.data?.pages.length ?? 0) <= FEW && every(AGAIN_MS)({ state }),
  })
  const rows = useMemo(() => query.data?.pages.flatMap(({ results }) => results) ?? [], [query.data])
  return {
    rows,
    error: query.error,
    // Where few are as asked for, pages may be empty before the end.
    isLoading: query.isPending || (rows.length === 0 && query.hasNextPage && !query.isError),
    hasMore: query.hasNextPage,
    isLoadingMore: query.isFetchingNextPage,
    loadMore: () => void query.fetchNextPage(),
    refetch: () => void query.refetch(),
  }
}
