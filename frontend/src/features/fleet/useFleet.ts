import { useQuery } from '@tanstack/react-query'
import { every, keyOf, reading } from '@/api/reading'
import { useReadOnMoves } from '@/hooks/useReadOnMoves'
import { useGauge, useLiveStatus } from '@/live/live'
import type { GaugeOf } from '@/live/messages'

const AGAIN_MS = 10_000
const ADDRESS = '/api/v1/fleet'

/** Devices, rates and releases as they are now. */
export type Glance = GaugeOf<'fleet'>

/**
 * The fleet, or one app's part of it: at first by REST, then as the live channel tells. What needs somebody comes by REST
 * alone, again whenever a release has moved. While nothing comes live, all of it does.
 */
export function useFleet(app: string | undefined) {
  const query = useQuery({
    ...reading(ADDRESS, { query: app === undefined ? {} : { app } }),
    refetchInterval: every(AGAIN_MS),
  })
  const live = useGauge(app === undefined ? 'fleet' : `fleet/${app}`)
  const isLive = useLiveStatus().state === 'live'
  useReadOnMoves([keyOf(ADDRESS)])
  const glance: Glance | undefined = isLive ? (live.value ?? query.data) : (query.data ?? live.value)
  return { glance, attention: query.data?.attention, error: query.error, refetch: () => void query.refetch() }
}
