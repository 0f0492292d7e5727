import { useInfiniteQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { pages, type Asked, type PagePath, type RowOf } from '@/api/reading'

/** A list of the API, page by page, as DataTable takes it. */
export function usePages<P extends PagePath>(path: P, asked: Asked<P> = {}) {
  const query = useInfiniteQuery(pages(path, asked))
  const rows = useMemo(
    () => query.data?.pages.flatMap((page) => (page as { results: RowOf<P>[] }).results) ?? [],
    [query.data],
  )
  return {
    rows,
    error: query.error,
    isLoading: query.isPending,
    hasMore: query.hasNextPage,
    isLoadingMore: query.isFetchingNextPage,
    loadMore: () => void query.fetchNextPage(),
    refetch: () => void query.refetch(),
  }
}
