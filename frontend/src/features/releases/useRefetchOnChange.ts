import { useQueryClient, type QueryKey } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useRef } from 'react'

/** Refetches everything below a key whenever `marker` changes; '' while nothing was read. */
export function useRefetchOnChange(queryKey: QueryKey, marker: string): void {
  const queries = useQueryClient()
  const before = useRef(marker)
  const read = useEffectEvent(() => void queries.invalidateQueries({ queryKey }))
  useEffect(() => {
    if (before.current !== '' && before.current !== marker) read()
    before.current = marker
  }, [marker])
}
