import { useMemo, useState } from 'react'
import { useQueryClient } from '@tanstack/react-query'
import { keyOf } from '@/api/reading'
import { usePages } from '@/hooks/usePages'
import { useEvents } from '@/live/live'
import type { ReleaseEvent } from '@/live/messages'
import { trailOf } from './trail'
import { useReadAgain } from './useReadAgain'

const ADDRESS = '/api/v1/audit'

/** The audit entries of a release, the newest first; new ones come by the live channel. */
export function useTrail(release: number, isWatched: boolean) {
  const queries = useQueryClient()
  const asked = { query: { object_type: 'tasks_app.release', object_id: String(release) } }
  const { rows, ...pages } = usePages(ADDRESS, asked)
  const [told, setTold] = useState<readonly ReleaseEvent[]>([])
  const readAnew = () => void queries.invalidateQueries({ queryKey: keyOf(ADDRESS) })
  useEvents(
    `release/${release}`,
    (event) => setTold((before) => [...before, event]),
    () => {
      setTold([])
      readAnew()
    },
  )
  // What happened between the first reading and the channel's confirmation was told by neither.
  useReadAgain(keyOf(ADDRESS), String(isWatched))
  return { entries: useMemo(() => trailOf(rows, told), [rows, told]), ...pages }
}
