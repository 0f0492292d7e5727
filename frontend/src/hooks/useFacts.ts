import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { LASTING, reading } from '@/api/reading'
import { factsOf } from '@/lib/facts'

const MOST = 200

/** What can be asked about the devices of an app, or, without one, of all. `enabled`: false where there is no such app. */
export function useFacts(app: string | undefined, enabled = true) {
  const declared = useQuery({
    ...reading('/api/v1/apps/{app}/facts', { path: { app: app ?? '' }, query: { limit: MOST } }),
    ...LASTING,
    enabled: enabled && app !== undefined,
  })
  // Only to propose values that devices have: without it, people type them.
  const fleet = useQuery({
    ...reading('/api/v1/fleet', { query: app === undefined ? {} : { app } }),
    ...LASTING,
    enabled,
  })
  const [results, counted] = [declared.data?.results, fleet.data?.devices]
  const facts = useMemo(() => factsOf(results ?? [], counted), [results, counted])
  return { facts, isDeclared: results !== undefined, error: declared.error, refetch: () => void declared.refetch() }
}
