import { Skeleton } from '@mantine/core'
import { Chart } from '@/components/Chart'
import { ErrorNote } from '@/components/ErrorNote'
import { EventLane } from '@/components/EventLane'
import { Panel, PanelRow } from '@/components/Page'
import { useTimePart } from '@/hooks/useTimePart'
import type { ChartSeries } from '@/lib/chartOptions'
import { rate } from '@/lib/format'
import type { Rates } from './activity'
import type { Span } from './spans'
import { useMoves } from './useMoves'
import { useActivity } from './useActivity'

const HEIGHT = 180
const SHARED = { height: HEIGHT, format: rate, group: 'fleet' }
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

/** Charts of the fleet's activity per second, up to now, below the moves of releases. */
export function ActivityPanels({ app, span, rates }: Props) {
  const { checkIns, installs, failures, newDevices, isReady, since, error, refetch } = useActivity(app, span, rates)
  const moves = useMoves(app, since)
  const [part, setPart] = useTimePart()
  if (error && !isReady) return <ErrorNote error={error} retry={refetch} />
  const charts = [
    { title: 'Check-ins per second', data: checkIns, series: CHECK_INS },
    { title: 'Installs per second', data: installs, series: INSTALLS },
    { title: 'Failures per second', data: failures, series: FAILURES },
    { title: 'New devices per second', data: newDevices, series: NEW_DEVICES },
  ]
  return (
    <>
      <EventLane events={moves} data={checkIns} part={part} onShowAll={() => setPart(null)} />
      <PanelRow>
        {charts.map(({ title, ...chart }) => (
          <Panel key={title} title={title}>
            {isReady ? (
              <Chart label={title} events={moves} part={part} onPart={setPart} {...SHARED} {...chart} />
            ) : (
              <Skeleton height={HEIGHT + 20} />
            )}
          </Panel>
        ))}
      </PanelRow>
    </>
  )
}
