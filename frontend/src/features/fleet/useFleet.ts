import { useQuery } from '@tanstack/react-query'
import { every, keyOf } from '@/api/reading'
import { useRefetchOnMoves } from '@/hooks/useRefetchOnMoves'
import { serverTime } from '@/lib/serverClock'
import { useGauge, useLiveStatus } from '@/live/live'
import type { GaugeOf } from '@/live/messages'
import { fleetQuery } from './queries'

const AGAIN_MS = 10_000
const ADDRESS = '/api/v1/fleet'

/** Devices, rates and releases as they are now. */
export type FleetSnapshot = GaugeOf<'fleet'>

/**
 * Returns the fleet, or one app's part of it: first by REST, then live.
 *
 * Concerns come by REST alone, again whenever a release has moved. When the live channel stops, the data come from REST
 * as soon as that has newer ones.
 */
export function useFleet(app: string | undefined) {
  const query = useQuery({
    ...fleetQuery(app),
    refetchInterval: every(AGAIN_MS),
  })
  const live = useGauge(app === undefined ? 'fleet' : `fleet/${app}`)
  const { oldSince } = useLiveStatus()
  useRefetchOnMoves([keyOf(ADDRESS)])
  const isOvertaken = oldSince > 0 && serverTime(query.dataUpdatedAt) > oldSince
  const snapshot: FleetSnapshot | undefined = isOvertaken ? query.data : (live.value ?? query.data)
  return { snapshot, attention: query.data?.attention, error: query.error, refetch: () => void query.refetch() }
}
