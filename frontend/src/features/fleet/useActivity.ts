import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { every } from '@/api/reading'
import { SeriesBuffer } from '@/lib/seriesBuffer'
import { extendActivity, appendRates, type Activity, type Rates } from './activity'
import { activityQuery } from './queries'
import type { Span } from './spans'

/** Milliseconds until ended steps are read again, replacing live values. */
const AGAIN_MS = 60_000

/** Returns the data of the activity charts, up to now. */
export function useActivity(app: string | undefined, span: Span, rates: Rates | undefined) {
  const query = useQuery({
    ...activityQuery(app, span),
    refetchInterval: every(AGAIN_MS),
    placeholderData: keepPreviousData,
  })
  const [lines] = useState(() => ({
    checkIns: new SeriesBuffer(1),
    installs: new SeriesBuffer(2),
    failures: new SeriesBuffer(1),
    newDevices: new SeriesBuffer(4),
  }))
  const live = useRef<readonly Rates[]>([])
  const activity = query.data
  useEffect(() => {
    if (rates) live.current = appendRates(live.current, rates)
    if (!activity) return
    const { at, check_ins, offers, installs, failures, ...came }: Activity = extendActivity(activity, live.current)
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
  }, [rates, activity, lines])
  return {
    ...lines,
    isReady: activity !== undefined,
    since: activity?.at[0] ?? 0,
    error: query.error,
    refetch: () => void query.refetch(),
  }
}
