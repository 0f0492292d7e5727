import { Skeleton } from '@mantine/core'
import { Chart } from '@/components/Chart'
import { ErrorNote } from '@/components/ErrorNote'
import { Gauges } from '@/components/Gauges'
import { Panel, PanelRow } from '@/components/Page'
import { end, NumberCell, Table } from '@/components/Table'
import { useTimePart } from '@/hooks/useTimePart'
import type { ChartSeries } from '@/lib/chartOptions'
import { bytes, count, percent } from '@/lib/format'
import { milliseconds } from '@/lib/outputs'
import { hitRate, readHost, savedBy, type Host, type Queue } from './runtime'
import type { Span } from './search'
import { useHostSeries } from './useServing'

const HEIGHT = 160
const MEMORY: ChartSeries[] = [
  { label: 'without sharing', tone: 'none', dash: [4, 3] },
  { label: 'with sharing', tone: 'ok', filled: true },
]
const HITS: ChartSeries[] = [
  { label: 'results', tone: 'running' },
  { label: 'plan stages', tone: 'ok', dash: [4, 3] },
]
const WHOLE: [number, number] = [0, 1]
const QUEUE_COLUMNS = ['Queue', ...['Executors', 'High', 'Low', 'Waits for', 'Refused'].map(end)] as const

/** One host: what sharing saves, how often its caches answer, and what waits. */
export function HostPanel({ host, span }: { host: Host; span: Span | undefined }) {
  const state = readHost(host.state)
  const { lines, isReady, error, refetch } = useHostSeries(host.name, span)
  const [part, onPart] = useTimePart()
  const charts = [
    { title: 'Memory of parameters', data: lines.memory, series: MEMORY, format: roundBytes },
    { title: 'Hit rates of caches', data: lines.hits, series: HITS, format: percent, range: WHOLE },
  ]
  return (
    <Panel title={`Runtime of ${host.name}`}>
      {error && <ErrorNote error={error} retry={refetch} />}
      <Gauges figures={figuresOf(state)} />
      <PanelRow>
        {charts.map(({ title, ...chart }) => (
          <Panel key={title} title={title} level={3}>
            {isReady ? (
              <Chart label={title} height={HEIGHT} group="host" part={part} onPart={onPart} {...chart} />
            ) : (
              <Skeleton height={HEIGHT + 20} />
            )}
          </Panel>
        ))}
      </PanelRow>
      {state.queues.length > 0 && <Queues queues={state.queues} />}
    </Panel>
  )
}

function figuresOf(state: ReturnType<typeof readHost>) {
  const saved = savedBy(state)
  return {
    'Memory with sharing': bytes(state.sharedBytes),
    'Memory without sharing': bytes(state.unsharedBytes),
    'Sharing saves': saved === null ? '–' : `${Number(saved.toPrecision(3))} ×`,
    Parameters: count(state.parameters),
    'Plan stages shared': `${count(state.stages.shared)} of ${count(state.stages.different)}`,
    'Results from cache': rateText(hitRate(state.results)),
    'Plan stages from cache': rateText(hitRate(state.stages)),
    'Batches shed': count(state.shed),
  }
}

/** What waits for executors: batches of all plans, and of each that has executors reserved. */
function Queues({ queues }: { queues: readonly Queue[] }) {
  return (
    <Table label="Queues of batches" columns={QUEUE_COLUMNS} minWidth={520}>
      {queues.map(({ plan, executors, low, high, backlogS, refused }) => (
        <tr key={plan}>
          <th scope="row">{plan === '' ? 'all plans without a reservation' : `reserved: ${plan.slice(0, 12)}`}</th>
          <NumberCell>{count(executors)}</NumberCell>
          <NumberCell>{count(high)}</NumberCell>
          <NumberCell>{count(low)}</NumberCell>
          <NumberCell>{milliseconds(1000 * backlogS)}</NumberCell>
          <NumberCell>{count(refused)}</NumberCell>
        </tr>
      ))}
    </Table>
  )
}

function rateText(rate: number | null): string {
  return rate === null ? '–' : percent(rate)
}

function roundBytes(value: number): string {
  return bytes(Math.round(value))
}
