import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { reading } from '@/api/reading'
import type { ChartEvent } from '@/lib/chartMarks'
import { useEvents } from '@/live/live'
import { lineOf, movesAmong, moveOfEvent, mergeMoves, type MoveMade } from './moves'

const MOST = 200

/** Returns moves of releases as lines of a chart that begins at `since`, in seconds: past ones and live ones. */
export function useMoves(app: string | undefined, since: number): ChartEvent[] {
  const entries = useQuery(reading('/api/v1/audit', { query: { object_type: 'tasks_app.release', limit: MOST } }))
  const releases = useQuery(reading('/api/v1/releases', { query: { limit: MOST } }))
  const [live, setLive] = useState<readonly MoveMade[]>([])
  useEvents(
    'releases',
    (event) => {
      const move = moveOfEvent(event)
      if (move) setLive((before) => [...before, move].slice(-MOST))
    },
    () => {
      void entries.refetch()
      void releases.refetch()
    },
  )
  return useMemo(() => {
    const past = movesAmong(entries.data?.results ?? [], releases.data?.results ?? [])
    const lines = mergeMoves(past, live, app).map(lineOf)
    return lines.filter(({ at }) => at >= since)
  }, [entries.data, releases.data, live, app, since])
}
