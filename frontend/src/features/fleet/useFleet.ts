import { useQuery } from '@tanstack/react-query'
import { every, keyOf, reading } from '@/api/reading'
import { useRefetchOnMoves } from '@/hooks/useRefetchOnMoves'
import { serverTime } from '@/lib/serverClock'
import { useGauge, useLiveStatus } from '@/live/live'
import type { GaugeOf } from '@/live/messages'

const AGAIN_MS = 10_000
const ADDRESS = '/api/v1/fleet'

/** Devices, rates and releases as they are now. */
export type FleetSnapshot = GaugeOf<'fleet'>

/**
 * The fleet, or one app's part of it: at first by REST, then as the live channel tells. What needs somebody comes by REST
 * alone, again whenever a release has moved. What comes live no more is taken from REST as soon as that has newer.
 */
export function useFleet(app: string | undefined) {
  const query = useQuery({
    ...reading(ADDRESS, { query: app === undefined ? {} : { app } }),
    refetchInterval: every(AGAIN_MS),
  })
  const live = useGauge(app === undefined ? 'fleet' : `fleet/${app}`)
  const { oldSince } = useLiveStatus()
  useRefetchOnMoves([keyOf(ADDRESS)])
  const isOvertaken = oldSince > 0 && serverTime(query.dataUpdatedAt) > oldSince
  const snapshot: FleetSnapshot | undefined = isOvertaken ? query.data : (live.value ?? query.data)
  return { snapshot, attention: query.data?.attention, error: query.error, refetch: () => void query.refetch() }
}
