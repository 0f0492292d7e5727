import { useMemo, useState } from 'react'
import { useQueryClient } from '@tanstack/react-query'
import { keyOf } from '@/api/reading'
import { usePages } from '@/hooks/usePages'
import { useEvents } from '@/live/live'
import type { ReleaseEvent } from '@/live/messages'
import { mergeEntries } from './auditTrail'
import { useRefetchOnChange } from './useRefetchOnChange'

const ADDRESS = '/api/v1/audit'

/** Returns the audit entries of a release, newest first; new ones arrive live. */
export function useAuditTrail(release: number, isWatched: boolean) {
  const queries = useQueryClient()
  const params = { query: { object_type: 'tasks_app.release', object_id: String(release) } }
  const { rows, ...pages } = usePages(ADDRESS, params)
  const [live, setLive] = useState<readonly ReleaseEvent[]>([])
  const readAnew = () => void queries.invalidateQueries({ queryKey: keyOf(ADDRESS) })
  useEvents(
    `release/${release}`,
    (event) => setLive((before) => [...before, event]),
    () => {
      setLive([])
      readAnew()
    },
  )
  // Entries between the first reading and the channel's confirmation are in neither, so it reads again.
  useRefetchOnChange(keyOf(ADDRESS), String(isWatched))
  return { entries: useMemo(() => mergeEntries(rows, live), [rows, live]), ...pages }
}
