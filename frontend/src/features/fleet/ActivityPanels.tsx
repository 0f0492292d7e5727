import { Skeleton } from '@mantine/core'
import { Chart } from '@/components/Chart'
import { ErrorNote } from '@/components/ErrorNote'
import { Panel, PanelRow } from '@/components/Page'
import type { ChartEvent } from '@/lib/chartMarks'
import type { ChartSeries } from '@/lib/chartOptions'
import { rate } from '@/lib/format'
import type { SeriesBuffer } from '@/lib/seriesBuffer'
import type { Rates } from './activity'
import type { Span } from './spans'
import { useMoves } from './useMoves'
import { useActivity } from './useActivity'

const HEIGHT = 180
const CHECK_INS: ChartSeries[] = [{ label: 'check-ins', tone: 'running', filled: true }]
const INSTALLS: ChartSeries[] = [
  { label: 'installs', tone: 'ok', filled: true },
  { label: 'offers', tone: 'none', dash: [4, 3] },
]
const FAILURES: ChartSeries[] = [{ label: 'failures', tone: 'bad', filled: true }]
const NEW_DEVICES: ChartSeries[] = [
  { label: 'registered', tone: 'running', filled: true },
  { label: 'enrolled by app key', tone: 'none', dash: [4, 3] },
  { label: 'vouched for', tone: 'ok', dash: [1, 3] },
  { label: 'refused', tone: 'bad', dash: [8, 3] },
]

type Props = { app: string | undefined; span: Span; rates: Rates | undefined }

/** Charts of the fleet's activity per second, up to now; moves of releases are vertical lines. */
export function ActivityPanels({ app, span, rates }: Props) {
  const { checkIns, installs, failures, newDevices, isReady, since, error, refetch } = useActivity(app, span, rates)
  const moves = useMoves(app, since)
  if (error && !isReady) return <ErrorNote error={error} retry={refetch} />
  const charts = [
    { title: 'Check-ins per second', data: checkIns, series: CHECK_INS },
    { title: 'Installs per second', data: installs, series: INSTALLS },
    { title: 'Failures per second', data: failures, series: FAILURES },
    { title: 'New devices per second', data: newDevices, series: NEW_DEVICES },
  ]
  return (
    <PanelRow>
      {charts.map((chart) => (
        <Panel key={chart.title} title={chart.title}>
          {isReady ? <ActivityChart {...chart} moves={moves} /> : <Skeleton height={HEIGHT + 20} />}
        </Panel>
      ))}
    </PanelRow>
  )
}

type ChartProps = { title: string; data: SeriesBuffer; series: ChartSeries[]; moves: ChartEvent[] }

function ActivityChart({ title, data, series, moves }: ChartProps) {
  return <Chart label={title} data={data} series={series} events={moves} height={HEIGHT} format={rate} group="fleet" />
}
