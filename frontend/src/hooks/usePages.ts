import { useInfiniteQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { everyFew, pages, type RequestParams, type PagePath, type RowOf } from '@/api/reading'

/** When it is refreshed automatically: `everyFew`. */
type Options = { refetchInterval?: ReturnType<typeof everyFew> }

/** Returns a list of the API, page by page, for DataTable. */
export function usePages<P extends PagePath>(path: P, params: RequestParams<P> = {}, options: Options = {}) {
  const query = useInfiniteQuery({ ...pages(path, params), ...options })
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
