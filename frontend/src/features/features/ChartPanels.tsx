import { Skeleton } from '@mantine/core'
import { Chart } from '@/components/Chart'
import { Panel, PanelRow } from '@/components/Page'
import { useTimePart } from '@/hooks/useTimePart'
import type { ChartSeries } from '@/lib/chartOptions'
import { bytes, rate } from '@/lib/format'
import { milliseconds } from '@/lib/outputs'
import type { SeriesBuffer } from '@/lib/seriesBuffer'

const HEIGHT = 160
const FEATURES: ChartSeries[] = [{ label: 'features', tone: 'running', filled: true }]
const BYTES: ChartSeries[] = [
  { label: 'before compression', tone: 'none', dash: [4, 3] },
  { label: 'sent', tone: 'ok', filled: true },
]
/** Distances between the times on the axis of delays, in milliseconds, at least one. */
const TIMES = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500],
  ...[1, 2, 5, 10, 20, 60, 120, 300, 600, 1200, 3600, 7200, 18_000, 43_200, 86_400].map((seconds) => seconds * 1000),
]
/** What an axis shows at least: there are no parts of bytes, nor of milliseconds. */
const LEAST: [number, number] = [0, 10]
const DELAYS: ChartSeries[] = [
  { label: 'p50', tone: 'ok' },
  { label: 'p90', tone: 'running', dash: [4, 3] },
  { label: 'p99', tone: 'attention', dash: [1, 3] },
]

type Props = { lines: Record<'features' | 'bytes' | 'delays', SeriesBuffer>; isReady: boolean }

/** Charts of what arrives: how much, how many bytes before and after compression, how late. */
export function ChartPanels({ lines, isReady }: Props) {
  const [part, onPart] = useTimePart()
  const charts = [
    { title: 'Features per second', data: lines.features, series: FEATURES, format: rate },
    { title: 'Bytes per second', data: lines.bytes, series: BYTES, format: roundBytes, range: LEAST },
    {
      title: 'Delay since the event',
      data: lines.delays,
      series: DELAYS,
      format: milliseconds,
      range: LEAST,
      steps: TIMES,
    },
  ]
  return (
    <PanelRow tracks="repeat(3, minmax(0, 1fr))">
      {charts.map(({ title, ...chart }) => (
        <Panel key={title} title={title}>
          {isReady ? (
            <Chart label={title} height={HEIGHT} group="features" part={part} onPart={onPart} {...chart} />
          ) : (
            <Skeleton height={HEIGHT + 20} />
          )}
        </Panel>
      ))}
    </PanelRow>
  )
}

function roundBytes(value: number): string {
  return bytes(Math.round(value))
}
