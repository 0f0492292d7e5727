import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { every, reading } from '@/api/reading'
import { SeriesBuffer } from '@/lib/seriesBuffer'
import { continued, remembered, type Pulse, type Rates } from './pulse'
import { MINUTES, type Span } from './spans'

/** So often the steps that have ended meanwhile are read, in place of what was told of them. */
const AGAIN_MS = 60_000

/** What charts draw of the pulse, up to now. */
export function usePulse(app: string | undefined, span: Span, rates: Rates | undefined) {
  const asked = { minutes: MINUTES[span], ...(app === undefined ? {} : { app }) }
  const query = useQuery({
    ...reading('/api/v1/fleet/pulse', { query: asked }),
    refetchInterval: every(AGAIN_MS),
    placeholderData: keepPreviousData,
  })
  const [lines] = useState(() => ({
    checkIns: new SeriesBuffer(1),
    installs: new SeriesBuffer(2),
    failures: new SeriesBuffer(1),
    newDevices: new SeriesBuffer(4),
  }))
  const told = useRef<readonly Rates[]>([])
  const pulse = query.data
  useEffect(() => {
    if (rates) told.current = remembered(told.current, rates)
    if (!pulse) return
    const { at, check_ins, offers, installs, failures, ...came }: Pulse = continued(pulse, told.current)
    lines.checkIns.replace([at, check_ins])
    lines.installs.replace([at, installs, offers])
    lines.failures.replace([at, failures])
    lines.newDevices.replace([
      at,
      came.registered,
      came.enrolled_by_key,
      came.enrolled_by_statement,
      came.enrolments_refused,
    ])
  }, [rates, pulse, lines])
  return {
    ...lines,
    isReady: pulse !== undefined,
    since: pulse?.at[0] ?? 0,
    error: query.error,
    refetch: () => void query.refetch(),
  }
}
