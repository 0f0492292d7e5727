import { useCallback, useMemo } from 'react'
import type { TimeRange } from '@/lib/eventGroups'
import { timePartOf, timePartSearch, type TimePartSearch } from '@/lib/timePart'
import { useFilters } from './useFilters'

/** Returns the part of the time that the page's charts show, which is in its address, and what changes it. */
export function useTimePart(): [TimeRange | null, (part: TimeRange | null) => void] {
  const [{ from, to }, setFilters] = useFilters<TimePartSearch>()
  const part = useMemo(() => timePartOf({ from, to }), [from, to])
  const setPart = useCallback(
    (chosen: TimeRange | null) => {
      setFilters(timePartSearch(chosen))
    },
    [setFilters],
  )
  return [part, setPart]
}
