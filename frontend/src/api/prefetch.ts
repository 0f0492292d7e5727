/** Reading what a page shows before it is rendered, so that its first rendering has it. */
import type { QueryClient } from '@tanstack/react-query'

/** Options made by `reading`, or by `pages`. */
type Options = { queryKey: readonly unknown[] }

/** Starts these readings unless their data are there; the page itself reports what fails. */
export function prefetch(queryClient: QueryClient, ...readings: Options[]): void {
  for (const each of readings) {
    const read = 'initialPageParam' in each ? queryClient.infiniteQuery(each) : queryClient.query(each)
    read.catch(() => undefined)
  }
}
