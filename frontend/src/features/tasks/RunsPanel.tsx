import { SegmentedControl } from '@mantine/core'
import { EmptyState } from '@/components/EmptyState'
import { ErrorNote } from '@/components/ErrorNote'
import { Panel } from '@/components/Page'
import { QuantileRanges, RangeAxis, RangeLegend } from '@/components/QuantileRanges'
import { ShareBar } from '@/components/ShareBar'
import { LinesSkeleton } from '@/components/Skeletons'
import { Table } from '@/components/Table'
import { useFilters } from '@/hooks/useFilters'
import { bytes, count, partOf, percent, share } from '@/lib/format'
import { scaleOf, type Quantiles, type Scale } from '@/lib/logScale'
import type { TaskPath } from '@/lib/taskName'
import { backendsText } from './models'
import { useTaskRuns } from './queries'
import { className, endsText, PERIODS, runTime, timesText, USUAL_DAYS, type ClassRuns } from './runs'
import type { TaskSearch } from './search'
import classes from './task.module.css'

const COLUMNS = ['Devices', 'Run time', 'p50 / p90 / p99', 'Memory, p50 / p99', 'Warm runs', 'VMs ended']
const NOTHING = '–'
const WARM = { name: 'warm', tone: 'running' } as const
const STARTS = [{ name: 'cold', tone: 'attention' }, WARM] as const

/** How the task runs on each class of devices: times and memory of cold runs and of warm ones, and the life of its VM. */
export function RunsPanel({ path }: { path: TaskPath }) {
  const [{ days }, setFilters] = useFilters<TaskSearch>()
  const { data, error, refetch } = useTaskRuns(path, days ?? USUAL_DAYS)
  const scale = data ? scaleOf(data.classes.flatMap(({ cold, warm }) => [cold.duration_ms, warm.duration_ms])) : null
  const beside = (
    <SegmentedControl
      aria-label="Period of the runs"
      size="xs"
      data={PERIODS.map((each) => ({ value: String(each), label: each === 1 ? '1 day' : `${each} days` }))}
      value={String(days ?? USUAL_DAYS)}
      onChange={(value) => setFilters({ days: Number(value) })}
    />
  )
  return (
    <Panel title="Runs by device" beside={beside}>
      {error && !data && <ErrorNote error={error} retry={() => void refetch()} />}
      {!data && !error && <LinesSkeleton lines={4} />}
      {data?.all.runs === 0 && (
        <EmptyState title="No runs">No device has reported a run of this task in this period.</EmptyState>
      )}
      {data && data.all.runs > 0 && (
        <>
          <RangeLegend ranges={STARTS} />
          <Table label="Runs by device" columns={COLUMNS} minWidth={1040}>
            <ClassRow name="all devices" runs={data.all} scale={scale} />
            {data.classes.map((each) => (
              <ClassRow key={`${each.os} ${each.performance}`} name={className(each)} runs={each} scale={scale} />
            ))}
            <tr>
              <td />
              <td>{scale && <RangeAxis scale={scale} format={runTime} />}</td>
              <td colSpan={4} />
            </tr>
          </Table>
        </>
      )}
    </Panel>
  )
}

function ClassRow({ name, runs, scale }: { name: string; runs: ClassRuns; scale: Scale | null }) {
  const { cold, warm } = runs
  const ranges = STARTS.map(({ name, tone }) => ({ name, tone, of: runs[name].duration_ms }))
  return (
    <tr>
      <th scope="row">
        {name}
        <div className="muted">
          {count(runs.runs)} runs{runs.failed > 0 && `, ${partOf(runs.failed, runs.runs)} failed`}
          {runs.shed > 0 && (
            <span title="Runs that did not take place, because too many were waiting">, {count(runs.shed)} shed</span>
          )}
        </div>
        {runs.model_backends.length > 0 && <div className="muted">models on {backendsText(runs)}</div>}
      </th>
      <td>{scale && <QuantileRanges ranges={ranges} scale={scale} format={timesText} />}</td>
      <td>
        <Both cold={cold.duration_ms} warm={warm.duration_ms} text={timesText} />
      </td>
      <td>
        <Both cold={cold.peak_memory_kb} warm={warm.peak_memory_kb} text={memoryText} />
      </td>
      <td>
        {percent(share(warm.runs, runs.runs))}
        <ShareBar part={warm.runs} whole={runs.runs} tone={WARM.tone} label="runs were warm" />
      </td>
      <td>
        <div className={classes.ends}>{endsText(runs) || NOTHING}</div>
      </td>
    </tr>
  )
}

type BothProps = { cold: Quantiles | null; warm: Quantiles | null; text: (of: Quantiles) => string }

/** The figures of cold runs above those of warm ones, as the picture has them. */
function Both({ cold, warm, text }: BothProps) {
  return (
    <>
      <div className={classes.figures}>{cold ? text(cold) : NOTHING}</div>
      <div className={classes.figures}>{warm ? text(warm) : NOTHING}</div>
    </>
  )
}

function memoryText({ p50, p99 }: Quantiles): string {
  return [p50, p99].map((kibibytes) => bytes(kibibytes * 1024)).join(' / ')
}
