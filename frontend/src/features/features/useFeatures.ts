import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { every, everyFew, reading } from '@/api/reading'
import { usePages } from '@/hooks/usePages'
import { SeriesBuffer } from '@/lib/seriesBuffer'
import { useGauge } from '@/live/live'
import { SPANS, withArrivals, mergeFeatures, type Chosen, type Feature, type Span } from './choosing'
import { chartColumns } from './series'

const RATES_AGAIN_MS = 15_000
const ROWS_AGAIN_MS = 30_000
const ROWS = 100
const NONE: readonly Feature[] = []

/** Returns what arrived in a time span, for charts and by task. */
export function useRates({ app, task }: Chosen, span: Span) {
  const params = { minutes: SPANS[span], ...(app && { app }), ...(task && { task }) }
  const query = useQuery({
    ...reading('/api/v1/features/rates', { query: params }),
    refetchInterval: every(RATES_AGAIN_MS),
    placeholderData: keepPreviousData,
  })
  const [lines] = useState(() => ({
    features: new SeriesBuffer(1),
    bytes: new SeriesBuffer(2),
    delays: new SeriesBuffer(3),
  }))
  const rates = query.data
  useEffect(() => {
    if (!rates) return
    const columns = chartColumns(rates)
    lines.features.replace(columns.features)
    lines.bytes.replace(columns.bytes)
    lines.delays.replace(columns.delays)
  }, [rates, lines])
  // A query without data forgets its error whenever it begins anew, but not why it tries again.
  return { rates, lines, error: query.error ?? query.failureReason, refetch: () => void query.refetch() }
}

/** Returns what arrives now, who reads it, and the newest features: live. */
export function useNow(app: string | undefined) {
  return useGauge(app === undefined ? 'features' : `features/${app}`).value
}

/** Returns the chosen features for DataTable, the newest first, as they arrive; other ones need another component. */
export function useFeatureRows(chosen: Chosen, newest: readonly Feature[] = NONE) {
  const pages = usePages(
    '/api/v1/features',
    { query: { ...chosen, limit: ROWS } },
    { refetchInterval: everyFew(ROWS_AGAIN_MS) },
  )
  const [arrivals, setArrivals] = useState({ told: NONE, kept: NONE })
  if (newest !== arrivals.told) setArrivals({ told: newest, kept: withArrivals(arrivals.kept, newest) })
  return { ...pages, rows: mergeFeatures(pages.rows, arrivals.kept, chosen) }
}

/** Returns the consumers of features: by REST until the live channel tells. */
export function useConsumers(told: ReturnType<typeof useNow>) {
  const query = useQuery({ ...reading('/api/v1/features/consumers'), enabled: told === undefined })
  return told?.consumers ?? query.data?.consumers
}
