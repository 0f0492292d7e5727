import { useQueryClient, type QueryKey } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { useEvents } from '@/live/live'
import type { ReleaseEvent } from '@/live/messages'

const AT_MOST_EACH_MS = 1_000

/** Refetches everything below these keys when a relevant release has moved; many moves at once cause one reading. */
export function useRefetchOnMoves(
  keys: readonly QueryKey[],
  isAbout: (event: ReleaseEvent) => boolean = () => true,
): void {
  const queries = useQueryClient()
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  const readSoon = () => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined
      for (const queryKey of keys) void queries.invalidateQueries({ queryKey })
    }, AT_MOST_EACH_MS)
  }
  useEvents('releases', (event) => isAbout(event) && readSoon(), readSoon)
  useEffect(() => () => clearTimeout(timer.current), [])
}
