import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useState } from 'react'
import { every, everyFew, reading } from '@/api/reading'
import { usePages } from '@/hooks/usePages'
import { SeriesBuffer } from '@/lib/seriesBuffer'
import { useGauge } from '@/live/live'
import { SPANS, USUAL_SPAN, type Span } from './search'
import { busiest, errorColumns, hostColumns, latencyColumns, requestColumns } from './series'

const SERIES_AGAIN_MS = 15_000
const DETAIL_AGAIN_MS = 5_000
const ROWS_AGAIN_MS = 30_000
const PENDING_AGAIN_MS = 3_000
const ROWS = 100

/** Returns the hosts that serve: by REST until the live channel tells. */
export function useHosts() {
  const told = useGauge('serving').value
  const query = useQuery({ ...reading('/api/v1/serving/hosts'), enabled: told === undefined })
  return { hosts: told?.hosts ?? query.data?.hosts, error: query.error, refetch: () => void query.refetch() }
}

/** Returns the pipelines for DataTable, with the figures of now where the live channel tells them. */
export function usePipelines(q: string | undefined) {
  const told = useGauge('serving').value?.pipelines
  const found = usePages(
    '/api/v1/pipelines',
    { query: { limit: ROWS, ...(q && { q }) } },
    { refetchInterval: everyFew(ROWS_AGAIN_MS) },
  )
  const rows = useMemo(() => {
    const now = new Map(told?.map((each) => [each.name, each]))
    return found.rows.map((row) => now.get(row.name) ?? row)
  }, [found.rows, told])
  return { ...found, rows }
}

type Path = { scenario: string; task: string }

/** Returns one pipeline, as it is now. */
export function usePipeline(path: Path) {
  return useQuery({
    ...reading('/api/v1/pipelines/{scenario}/{task}', { path }),
    refetchInterval: every(DETAIL_AGAIN_MS),
  })
}

/** Returns how a version is compiled; asks again as long as that is to be computed. */
export function useExplanation(path: Path, version: string | undefined) {
  return useQuery({
    ...reading('/api/v1/pipelines/{scenario}/{task}/versions/{version}/explain', {
      path: { ...path, version: version ?? '' },
    }),
    enabled: version !== undefined,
    refetchInterval: ({ state }) => (state.data?.state === 'pending' ? PENDING_AGAIN_MS : false),
  })
}

/** Returns the lines of a pipeline's charts, and the versions that have one, those asked most first. */
export function useSeries(path: Path, version: string | undefined, span: Span = USUAL_SPAN) {
  const { data, error, refetch } = useQuery({
    ...reading('/api/v1/pipelines/{scenario}/{task}/series', { path, query: { minutes: SPANS[span] } }),
    refetchInterval: every(SERIES_AGAIN_MS),
    placeholderData: keepPreviousData,
  })
  const points = data?.points
  const names = JSON.stringify(points ? busiest(points) : [])
  const versions = useMemo(() => JSON.parse(names) as string[], [names])
  const requests = useMemo(() => new SeriesBuffer(versions.length), [versions])
  const [lines] = useState(() => ({ latency: new SeriesBuffer(3), errors: new SeriesBuffer(2) }))
  useEffect(() => {
    if (!points) return
    lines.latency.replace(latencyColumns(points, version))
    lines.errors.replace(errorColumns(points))
    requests.replace(requestColumns(points, versions))
  }, [points, version, versions, lines, requests])
  return { versions, lines: { ...lines, requests }, points, error, refetch: () => void refetch() }
}

/** Returns the lines of a host's charts. */
export function useHostSeries(host: string, span: Span = USUAL_SPAN) {
  const { data, error, refetch } = useQuery({
    ...reading('/api/v1/serving/hosts/{host}/series', { path: { host }, query: { minutes: SPANS[span] } }),
    refetchInterval: every(SERIES_AGAIN_MS),
    placeholderData: keepPreviousData,
  })
  const [lines] = useState(() => ({ memory: new SeriesBuffer(2), hits: new SeriesBuffer(2) }))
  useEffect(() => {
    if (!data) return
    const columns = hostColumns(data.points)
    lines.memory.replace(columns.memory)
    lines.hits.replace(columns.hits)
  }, [data, lines])
  return { lines, isReady: data !== undefined, error, refetch: () => void refetch() }
}
