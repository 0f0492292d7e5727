import { Link, useNavigate } from '@tanstack/react-router'
import { Server } from 'lucide-react'
import type { RowOf } from '@/api/reading'
import { DataTable, type Column } from '@/components/DataTable'
import { EmptyState } from '@/components/EmptyState'
import { NoRole } from '@/components/NoRole'
import { StatusMark } from '@/components/StatusMark'
import { useRights } from '@/hooks/useRights'
import { count, rate } from '@/lib/format'
import { milliseconds } from '@/lib/outputs'
import { offeringWords } from './offerings'
import { usePipelines } from './useServing'
import classes from './serving.module.css'

type Pipeline = RowOf<'/api/v1/pipelines'>

const COLUMNS: Column<Pipeline>[] = [
  {
    key: 'name',
    header: 'Pipeline',
    width: 'minmax(150px, 1fr)',
    render: ({ name, scenario, slug }) => (
      <Link to="/serving/$scenario/$task" params={{ scenario, task: slug }} tabIndex={-1}>
        <bdi>{name}</bdi>
      </Link>
    ),
  },
  {
    key: 'state',
    header: 'State',
    width: '132px',
    render: (pipeline) => <PipelineState pipeline={pipeline} />,
  },
  {
    key: 'answers',
    header: 'Answers callers',
    width: 'minmax(220px, 3fr)',
    render: ({ offerings, version }) =>
      offerings.length > 0 ? (
        <span>{offerings.map(offeringWords).join('; ')}</span>
      ) : (
        <span className="muted">{version} is not released</span>
      ),
  },
  { key: 'p50', header: 'p50', width: '80px', align: 'end', render: ({ figures }) => milliseconds(figures.p50_ms) },
  { key: 'p99', header: 'p99', width: '80px', align: 'end', render: ({ figures }) => milliseconds(figures.p99_ms) },
  {
    key: 'requests',
    header: 'Requests/s',
    width: '92px',
    align: 'end',
    render: ({ figures }) => rate(figures.requests_per_s),
  },
  { key: 'failed', header: 'Failed', width: '72px', align: 'end', render: ({ figures }) => count(figures.failed) },
  {
    key: 'refused',
    header: 'Refused',
    width: '76px',
    align: 'end',
    wide: true,
    render: ({ figures }) => count(figures.refused),
  },
  { key: 'hosts', header: 'Hosts', width: '64px', align: 'end', render: ({ hosts }) => count(hosts) },
]

/** Pixels of a row, and around the table. */
const ROW = 36
const BORDERS = 2
/** Of more pipelines than this, the table scrolls. */
const MOST_SHOWN = 12

/** All pipelines, with the figures of the last five minutes. */
export function PipelineTable({ q }: { q: string | undefined }) {
  const navigate = useNavigate()
  const found = usePipelines(q)
  const height = found.rows.length > 0 ? ROW * (1 + Math.min(MOST_SHOWN, found.rows.length)) + BORDERS : 0
  return (
    <div className={classes.table} style={height > 0 ? { height } : undefined}>
      <DataTable
        label="Pipelines"
        columns={COLUMNS}
        rowKey={({ name }) => name}
        onOpen={({ scenario, slug }) =>
          void navigate({ to: '/serving/$scenario/$task', params: { scenario, task: slug } })
        }
        empty={<NoPipelines q={q} />}
        minWidth={900}
        {...found}
      />
    </div>
  )
}

function PipelineState({ pipeline: { retired, troubled, hosts, offerings } }: { pipeline: Pipeline }) {
  if (retired) return <StatusMark tone="none">retired</StatusMark>
  if (troubled > 0) return <StatusMark tone="bad">{`${count(troubled)} impaired`}</StatusMark>
  if (offerings.length === 0) return <StatusMark tone="none">not released</StatusMark>
  return hosts > 0 ? <StatusMark tone="ok">serving</StatusMark> : <StatusMark tone="attention">on no host</StatusMark>
}

function NoPipelines({ q }: { q: string | undefined }) {
  const rights = useRights()
  if (q) {
    return (
      <EmptyState title="No pipeline fits the search" icon={Server}>
        No pipeline that you may see has “{q}” in its name, which is scenario/task.
      </EmptyState>
    )
  }
  if (!rights.mayAnywhere('view', 'scenario')) {
    return (
      <NoRole where="any scenario" username={rights.username}>
        Pipelines belong to scenarios.
      </NoRole>
    )
  }
  return (
    <EmptyState title="No pipeline yet" icon={Server} command="walle pipeline export model.joblib FOLDER">
      A pipeline is a trained model that the cloud predicts with. Export it on the machine where it was trained, push or
      upload the folder as a version of a task, and release that: docs/guides/pipelines.md shows how.
    </EmptyState>
  )
}
