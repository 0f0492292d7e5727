import { useInfiniteQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useState } from 'react'
import { every, pages } from '@/api/reading'
import { serverTime } from '@/lib/serverClock'
import type { DevicesAsked } from './search'
import { lookingOf, ROWS } from './searchProgress'

const LOOK_AGAIN_MS = 10_000
/** More pages than these are not read again by themselves. */
const FEW = 2

/** Devices as DataTable takes them; of one search: another one takes another component (`key`). */
export function useFoundDevices(asked: DevicesAsked) {
  const query = useInfiniteQuery({
    ...pages('/api/v1/devices', { query: { ...asked, limit: ROWS } }),
    refetchOnWindowFocus: false,
    refetchInterval: ({ state }) => (state.data?.pages.length ?? 0) <= FEW && every(LOOK_AGAIN_MS)({ state }),
  })
  const [from, setFrom] = useState(0)
  const { data, hasNextPage, isFetching, isError, fetchNextPage } = query
  const rows = useMemo(() => data?.pages.flatMap(({ results }) => results) ?? [], [data])
  const looking = lookingOf(data?.pages ?? [], from)
  const goesOn = hasNextPage && !looking.paused

  // Without rows there is no table that would ask for more.
  const seeking = rows.length === 0 && goesOn && !isFetching && !isError
  useEffect(() => {
    if (seeking) void fetchNextPage()
  }, [seeking, fetchNextPage])

  return {
    rows,
    looking,
    readAt: query.dataUpdatedAt && serverTime(query.dataUpdatedAt),
    error: query.error,
    isLoading: query.isPending || (rows.length === 0 && goesOn && !isError),
    hasMore: goesOn,
    isComplete: data !== undefined && !hasNextPage,
    isLoadingMore: query.isFetchingNextPage,
    isReading: isFetching,
    loadMore: () => void (isFetching ? undefined : fetchNextPage()),
    goOn: () => {
      setFrom(data?.pages.length ?? 0)
      void fetchNextPage()
    },
    refetch: () => void query.refetch(),
  }
}
