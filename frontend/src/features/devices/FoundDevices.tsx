import { Button, Loader } from '@mantine/core'
import { Link, useNavigate } from '@tanstack/react-router'
import { RefreshCw, SearchX } from 'lucide-react'
import { useMemo } from 'react'
import type { RowOf } from '@/api/reading'
import { DataTable, type Column } from '@/components/DataTable'
import { EmptyState } from '@/components/EmptyState'
import { NoDeviceYet } from '@/components/NoDeviceYet'
import { RelativeTime } from '@/components/RelativeTime'
import type { Counted } from '@/lib/counted'
import { factText, systemText } from '@/lib/facts'
import { valueText } from '@/lib/json'
import { StatusMark } from '@/components/StatusMark'
import { TableTools } from '@/components/TableTools'
import { useColumns } from '@/hooks/useColumns'
import { CountLine } from './CountLine'
import { DeviceMark } from './DeviceMark'
import { stateOf } from './deviceState'
import { isNarrowed, queryOf, type DevicesSearch } from './search'
import { commandFor } from './searchCommand'
import { useFoundDevices } from './useFoundDevices'
import classes from './devices.module.css'

type Device = RowOf<'/api/v1/devices'>
type Props = { filters: DevicesSearch; counted: Counted | undefined; countFailed: boolean }

/** The devices of one search. */
export function FoundDevices({ filters, counted, countFailed }: Props) {
  const found = useFoundDevices(queryOf(filters))
  const navigate = useNavigate()
  const ofAllApps = filters.app === undefined
  const all = useMemo(() => columnsOf(found.readAt, ofAllApps), [found.readAt, ofAllApps])
  const choice = useColumns('devices', all)
  const open = ({ app, device }: Device) => void navigate({ to: '/devices/$app/$device', params: { app, device } })
  return (
    <>
      <div className={classes.line}>
        <div className={classes.counts} role="status">
          <CountLine search={queryOf(filters)} counted={counted} failed={countFailed} />
          <Progress found={found} />
        </div>
        <span className={classes.readAt}>
          {found.readAt > 0 && (
            <>
              Updated <RelativeTime at={new Date(found.readAt).toISOString()} />
            </>
          )}
          <Button
            variant="default"
            size="compact-sm"
            leftSection={<RefreshCw size={13} aria-hidden="true" />}
            disabled={found.isReading}
            onClick={found.refetch}
          >
            Refresh
          </Button>
        </span>
        <TableTools choice={choice} path="/api/v1/devices" params={{ query: queryOf(filters) }} />
      </div>
      <DataTable
        label="Devices"
        columns={choice.shown}
        rows={found.rows}
        rowKey={({ app, device }) => `${app}/${device}`}
        onOpen={open}
        isLoading={found.isLoading}
        error={found.error}
        refetch={found.refetch}
        hasMore={found.hasMore}
        isLoadingMore={found.isLoadingMore}
        loadMore={found.loadMore}
        empty={found.looking.paused ? <NothingYet /> : <Nothing filters={filters} />}
      />
    </>
  )
}

/** Shows the progress of a search with few matches, and whether to continue it. */
function Progress({ found }: { found: ReturnType<typeof useFoundDevices> }) {
  const { parts, paused } = found.looking
  if (parts === 0 || found.isComplete) return null
  const far = `${found.rows.length} found, ${parts} parts of the fleet searched`
  if (!paused) {
    return (
      <span className={classes.progress}>
        <Loader size={12} aria-hidden="true" />
        Searching: {far}
      </span>
    )
  }
  return (
    <span className={classes.progress}>
      Search paused: {far}
      <Button size="compact-sm" onClick={found.goOn}>
        Continue the search
      </Button>
    </span>
  )
}

function NothingYet() {
  return (
    <EmptyState title="None found so far" icon={SearchX}>
      A large part of the fleet was searched without a match. Continue the search, or remove a filter.
    </EmptyState>
  )
}

function Nothing({ filters }: { filters: DevicesSearch }) {
  if (isNarrowed(filters)) {
    const command = commandFor(filters)
    return (
      <EmptyState title="No device fits the filters" icon={SearchX} {...(command && { command })}>
        Remove a filter, or open any device to see its attributes. {command && 'The same search in a terminal:'}
      </EmptyState>
    )
  }
  return <NoDeviceYet app={filters.app} />
}

function columnsOf(readAt: number, ofAllApps: boolean): Column<Device>[] {
  return [
    {
      key: 'device',
      header: 'Device',
      width: 'minmax(190px, 1.2fr)',
      render: ({ app: slug, device }) => (
        <Link className="mono" to="/devices/$app/$device" params={{ app: slug, device }} tabIndex={-1}>
          {device}
        </Link>
      ),
      text: ({ device }) => device,
    },
    {
      key: 'state',
      header: 'State',
      width: '88px',
      render: (row) => <DeviceMark device={row} readAt={readAt} />,
      text: (row) => stateOf(row, readAt),
    },
    {
      key: 'app',
      header: 'App',
      width: '80px',
      optional: !ofAllApps,
      render: (row) => <span>{row.app}</span>,
      text: (row) => row.app,
    },
    {
      key: 'tasks',
      header: 'Tasks and versions',
      width: 'minmax(120px, 1.2fr)',
      render: (row) => <span>{tasksOf(row)}</span>,
      text: tasksOf,
    },
    {
      key: 'health',
      header: 'Last report',
      width: '136px',
      render: ({ last_report: report }) => <LastReport report={report} />,
      text: ({ last_report: report }) => (report ? report.error_class || report.outcome : ''),
    },
    {
      key: 'version',
      header: 'App version',
      width: '96px',
      render: ({ facts }) => <span>{factText(facts, 'app_version')}</span>,
      text: ({ facts }) => factText(facts, 'app_version'),
    },
    {
      key: 'system',
      header: 'System',
      width: 'minmax(100px, 0.6fr)',
      render: ({ facts }) => <span>{systemText(facts)}</span>,
      text: ({ facts }) => systemText(facts),
    },
    {
      key: 'seen',
      header: 'Last seen',
      width: '104px',
      render: (row) => <RelativeTime at={row.last_seen} />,
      text: (row) => row.last_seen,
    },
    {
      key: 'facts',
      header: 'Other attributes',
      width: 'minmax(160px, 1.6fr)',
      optional: true,
      render: (row) => <span>{others(row)}</span>,
      text: others,
    },
    {
      key: 'first',
      header: 'First seen',
      width: '112px',
      optional: true,
      render: (row) => <RelativeTime at={row.first_seen} />,
      text: (row) => row.first_seen,
    },
  ]
}

const SHOWN = new Set(['app_version', 'os', 'os_version'])

function others({ facts, trusted }: Device): string {
  const reported = Object.entries(facts).filter(([name]) => !SHOWN.has(name))
  const vouched = Object.entries(trusted).map(([name, value]) => [`user.${name}`, value] as const)
  return [...reported, ...vouched].map(([name, value]) => `${name} ${valueText(value)}`).join(' · ')
}

function tasksOf({ installed }: Device): string {
  return installed.map(({ task, version }) => `${task} ${version || '(unknown version)'}`).join(' · ')
}

function LastReport({ report }: { report: Device['last_report'] }) {
  if (!report) return <StatusMark tone="none">none</StatusMark>
  if (report.outcome === 'success') return <StatusMark tone="ok">success</StatusMark>
  return <StatusMark tone="bad">{report.error_class || 'failure'}</StatusMark>
}
