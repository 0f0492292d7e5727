import { Skeleton } from '@mantine/core'
import { useMemo } from 'react'
import { Chart } from '@/components/Chart'
import { ErrorNote } from '@/components/ErrorNote'
import { Panel, PanelRow } from '@/components/Page'
import { useTimePart } from '@/hooks/useTimePart'
import type { ChartSeries } from '@/lib/chartOptions'
import { rate } from '@/lib/format'
import { milliseconds } from '@/lib/outputs'
import type { Span } from './search'
import { useSeries } from './useServing'

const HEIGHT = 160
const LATENCY: ChartSeries[] = [
  { label: 'p50', tone: 'ok' },
  { label: 'p90', tone: 'running', dash: [4, 3] },
  { label: 'p99', tone: 'attention', dash: [1, 3] },
]
const ERRORS: ChartSeries[] = [
  { label: 'failed', tone: 'bad' },
  { label: 'refused', tone: 'attention', dash: [4, 3] },
]
/** How the lines of versions look: the one that is asked most comes first. */
const LINES: Omit<ChartSeries, 'label'>[] = [
  { tone: 'ok' },
  { tone: 'running', dash: [4, 3] },
  { tone: 'attention', dash: [1, 3] },
  { tone: 'none', dash: [8, 3] },
]

type Props = { path: { scenario: string; task: string }; version: string; span: Span | undefined }

/** Charts of a pipeline: the latency of one version, the requests of each, and what went wrong. */
export function PipelineCharts({ path, version, span }: Props) {
  const { versions, lines, points, error, refetch } = useSeries(path, version, span)
  const requests = useMemo(
    () => versions.map((label, index) => ({ ...LINES[index], label }) as ChartSeries),
    [versions],
  )
  const [part, onPart] = useTimePart()
  const charts = [
    { title: `Latency of ${version}`, data: lines.latency, series: LATENCY, format: milliseconds },
    { title: 'Requests per second', data: lines.requests, series: requests, format: rate },
    { title: 'Records without a prediction, per second', data: lines.errors, series: ERRORS, format: rate },
  ]
  return (
    <>
      {error && !points && <ErrorNote error={error} retry={refetch} />}
      <PanelRow tracks="repeat(3, minmax(0, 1fr))">
        {charts.map(({ title, ...chart }) => (
          <Panel key={title} title={title}>
            {points === undefined && <Skeleton height={HEIGHT + 20} />}
            {points?.length === 0 && <p className="note">Nobody asked in this time.</p>}
            {points !== undefined && points.length > 0 && (
              <Chart label={title} height={HEIGHT} group="pipeline" part={part} onPart={onPart} {...chart} />
            )}
          </Panel>
        ))}
      </PanelRow>
    </>
  )
}
