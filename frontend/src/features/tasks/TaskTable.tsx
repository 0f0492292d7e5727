import { useNavigate } from '@tanstack/react-router'
import { useMemo } from 'react'
import type { RowOf } from '@/api/reading'
import type { Release } from '@/api/schemas'
import { DataTable, type Column } from '@/components/DataTable'
import { EmptyState } from '@/components/EmptyState'
import { ReleaseLink, TaskLink } from '@/components/links'
import { NoRole } from '@/components/NoRole'
import { RelativeTime } from '@/components/RelativeTime'
import { ReleaseStateMark } from '@/components/ReleaseStateMark'
import { StatusMark } from '@/components/StatusMark'
import { TableTools } from '@/components/TableTools'
import { useColumns } from '@/hooks/useColumns'
import { useFilters } from '@/hooks/useFilters'
import { usePages } from '@/hooks/usePages'
import { useRights } from '@/hooks/useRights'
import { missing } from '@/lib/rights'
import { count, partOf } from '@/lib/format'
import { useGauge } from '@/live/live'
import { queryOf, type TasksSearch } from './search'
import classes from './tasks.module.css'

type Task = RowOf<'/api/v1/tasks'>
type Standing = NonNullable<Task['standing']>

type Props = { q: string | undefined; scenario: string | undefined }

/** The tasks that match the search and belong to the scenario, with their releases in progress. */
export function TaskTable({ q, scenario }: Props) {
  const navigate = useNavigate()
  const [{ order }, setFilters] = useFilters<TasksSearch>()
  const params = { query: queryOf({ q, scenario, order }) }
  const found = usePages('/api/v1/tasks', params)
  const underWay = useGauge('releases').value?.results
  const all = useMemo(() => columnsWith(underWay ?? []), [underWay])
  const choice = useColumns('tasks', all)
  return (
    <>
      <TableTools choice={choice} path="/api/v1/tasks" params={params} />
      <DataTable
        label="Tasks"
        columns={choice.shown}
        rowKey={({ name }) => name}
        onOpen={({ scenario: of, slug }) =>
          void navigate({ to: '/tasks/$scenario/$task', params: { scenario: of, task: slug } })
        }
        empty={<NoTasks q={q} scenario={scenario} />}
        order={order}
        onOrder={(next) => setFilters({ order: next as TasksSearch['order'] })}
        {...found}
      />
    </>
  )
}

function columnsWith(underWay: readonly Release[]): Column<Task>[] {
  return [
    {
      key: 'name',
      header: 'Task',
      width: 'minmax(160px, 2fr)',
      render: ({ name }) => (
        <TaskLink task={name} className={classes.name}>
          <bdi>{name}</bdi>
        </TaskLink>
      ),
      text: ({ name }) => name,
      order: 'name',
    },
    {
      key: 'live',
      header: 'Live version',
      width: '104px',
      render: (task) =>
        task.retired_at ? <StatusMark tone="none">retired</StatusMark> : <span>{standingOf(task).version || '–'}</span>,
      text: (task) => standingOf(task).version,
    },
    {
      key: 'devices',
      header: 'Devices',
      width: '88px',
      align: 'end',
      render: (task) => count(standingOf(task).devices),
      text: (task) => String(standingOf(task).devices),
    },
    {
      key: 'health',
      header: 'Failed runs, last day',
      width: '152px',
      render: (task) => <FailedRuns {...standingOf(task)} />,
      text: (task) => failedText(standingOf(task)),
    },
    {
      key: 'state',
      header: 'State',
      width: '120px',
      render: (task) =>
        task.retired_at ? <StatusMark tone="none">retired</StatusMark> : <StatusMark tone="ok">in use</StatusMark>,
      optional: true,
      text: (task) => (task.retired_at ? 'retired' : 'in use'),
    },
    {
      key: 'release',
      header: 'Release in progress',
      width: 'minmax(180px, 2fr)',
      render: ({ name }) => <UnderWay releases={underWay.filter(({ task }) => task === name)} />,
    },
    {
      key: 'changed',
      header: 'Last change',
      width: '112px',
      wide: true,
      render: (task) => <RelativeTime at={task.changed_at} />,
      text: (task) => task.changed_at,
      order: 'changed_at',
    },
    {
      key: 'versions',
      header: 'Versions',
      width: '96px',
      align: 'end',
      optional: true,
      render: (task) => count(task.version_count),
      text: (task) => String(task.version_count),
      order: 'version_count',
    },
    {
      key: 'created',
      header: 'Created',
      width: '120px',
      optional: true,
      render: (task) => <RelativeTime at={task.created_at} />,
      text: (task) => task.created_at,
      order: 'created_at',
    },
  ]
}

function standingOf({ standing }: Task): Standing {
  if (!standing) throw new Error('The list was asked for without details.')
  return standing
}

function failedText({ failed, runs }: Standing): string {
  return `${failed} of ${runs}`
}

function FailedRuns({ runs, failed }: Standing) {
  if (runs === 0) return <StatusMark tone="none">no run</StatusMark>
  return failed > 0 ? (
    <StatusMark tone="bad">{partOf(failed, runs)}</StatusMark>
  ) : (
    <StatusMark tone="ok">{`none of ${count(runs)}`}</StatusMark>
  )
}

function UnderWay({ releases }: { releases: readonly Release[] }) {
  const [release, ...others] = releases
  if (!release) return null
  return (
    <>
      <ReleaseLink release={release.id}>
        {release.version} to {release.app}
      </ReleaseLink>
      <ReleaseStateMark state={release.state} />
      {others.length > 0 && <span>and {others.length} more</span>}
    </>
  )
}

function NoTasks({ q, scenario }: Props) {
  const rights = useRights()
  if (q) {
    return (
      <EmptyState title="No task fits the search">
        No task{scenario ? ` of ${scenario}` : ' that you may see'} has “{q}” in its name, which is scenario/task.
      </EmptyState>
    )
  }
  if (scenario) {
    const refusal = missing(rights, 'push', `scenario:${scenario}`)
    return (
      <EmptyState
        title="No task yet"
        {...(refusal === null && { command: `walle version upload . ${scenario}/my-task 1.0.0` })}
      >
        A task is created by the first push of its branch and a tag, or by the upload of a folder that has a task.toml.{' '}
        {refusal}
      </EmptyState>
    )
  }
  if (!rights.mayAnywhere('view', 'scenario')) {
    return (
      <NoRole where="any scenario" username={rights.username}>
        Tasks belong to scenarios.
      </NoRole>
    )
  }
  if (!rights.isStaff) return <EmptyState title="No task yet">Your scenarios have no task.</EmptyState>
  return (
    <EmptyState title="No task yet" command={'walle scenario create camera --description "what the camera sees"'}>
      Tasks belong to scenarios, which are git repositories. Create a scenario, then push a task to it.
    </EmptyState>
  )
}
