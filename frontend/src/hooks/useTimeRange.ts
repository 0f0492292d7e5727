import { useCallback, useSyncExternalStore } from 'react'
import type { TimeRange } from '@/lib/eventGroups'
import type { SeriesBuffer } from '@/lib/seriesBuffer'

/** Returns the first and last time of a buffer, as it changes; null while it is empty. */
export function useTimeRange(data: SeriesBuffer): TimeRange | null {
  const subscribe = useCallback((listener: () => void) => data.subscribe(listener), [data])
  const from = useSyncExternalStore(subscribe, () => data.columns[0][0])
  const to = useSyncExternalStore(subscribe, () => data.columns[0].at(-1))
  return from === undefined || to === undefined ? null : [from, to]
}
