import { useInfiniteQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { everyFew } from '@/api/reading'
import { serverTime } from '@/lib/serverClock'
import { foundDevices } from './queries'
import type { DevicesQuery } from './search'
import { lookingOf } from './searchProgress'

const LOOK_AGAIN_MS = 10_000

/** Returns the devices of one search for DataTable; another search needs another component (`key`). */
export function useFoundDevices(search: DevicesQuery) {
  const query = useInfiniteQuery({
    ...foundDevices(search),
    refetchOnWindowFocus: false,
    refetchInterval: everyFew(LOOK_AGAIN_MS),
  })
  const [from, setFrom] = useState(0)
  const { data, hasNextPage, isFetching, fetchNextPage } = query
  const rows = useMemo(() => data?.pages.flatMap(({ results }) => results) ?? [], [data])
  const looking = lookingOf(data?.pages ?? [], from)
  return {
    rows,
    looking,
    readAt: query.dataUpdatedAt && serverTime(query.dataUpdatedAt),
    error: query.error,
    isLoading: query.isPending,
    hasMore: hasNextPage && !looking.paused,
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
