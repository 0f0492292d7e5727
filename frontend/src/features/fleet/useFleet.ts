import { useQuery } from '@tanstack/react-query'
import { every, keyOf, reading } from '@/api/reading'
import { useReadOnMoves } from '@/hooks/useReadOnMoves'
import { serverTime } from '@/lib/serverClock'
import { useGauge, useLiveStatus } from '@/live/live'
import type { GaugeOf } from '@/live/messages'

const AGAIN_MS = 10_000
const ADDRESS = '/api/v1/fleet'

/** Devices, rates and releases as they are now. */
export type Glance = GaugeOf<'fleet'>

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
  useReadOnMoves([keyOf(ADDRESS)])
  const isOvertaken = oldSince > 0 && serverTime(query.dataUpdatedAt) > oldSince
  const glance: Glance | undefined = isOvertaken ? query.data : (live.value ?? query.data)
  return { glance, attention: query.data?.attention, error: query.error, refetch: () => void query.refetch() }
}
