import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { keyOf, reading } from '@/api/reading'
import type { ReleaseDetail } from '@/api/schemas'
import { UNDER_WAY } from '@/lib/releaseState'
import { useGauge } from '@/live/live'
import { newer } from './moves'
import { taggedRelease } from './taggedRelease'
import { useRefetchOnChange } from './useRefetchOnChange'

const AGAIN_MS = 2_000
const SERIES = '/api/v1/releases/{release}/series'

/** Returns a release: first by REST, then live. `etag` is that of the last answer by REST. */
export function useRelease(id: number) {
  const read = useQuery(taggedRelease(id))
  const live = useGauge(`release/${id}`)
  const release = newer(live.value, read.data?.data)
  const shownAge = release && ageOf(release)
  const readAge = read.data && ageOf(read.data.data)
  const { refetch } = read
  // The channel has told more than was read: the ETag is of an older release.
  useEffect(() => {
    if (readAge !== undefined && readAge !== shownAge) void refetch()
  }, [readAge, shownAge, refetch])
  return {
    release,
    etag: read.data?.etag ?? null,
    /** Whether the channel has confirmed the subscription. */
    isWatched: live.value !== undefined,
    refusal: live.refusal,
    error: read.error,
    refetch: () => void refetch(),
  }
}

/** Returns a release over time; read again while its devices may change, and after each move, which is a line in it. */
export function useSeries(release: ReleaseDetail) {
  const goesOn = UNDER_WAY.includes(release.state)
  const params = { path: { release: release.id } }
  // Devices report about a release also after its end.
  useRefetchOnChange(keyOf(SERIES, params), `${ageOf(release)} ${goesOn ? '' : JSON.stringify(release.figures)}`)
  return useQuery({ ...reading(SERIES, params), ...(goesOn ? { refetchInterval: AGAIN_MS } : {}) })
}

/** Returns the age of a reading, since moves and verdicts only grow. */
export function ageOf({ transitions, verdicts }: ReleaseDetail): string {
  return `${transitions.length} ${verdicts.length}`
}
