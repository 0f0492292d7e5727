import { Link, useNavigate } from '@tanstack/react-router'
import { ChevronRight, ShieldAlert } from 'lucide-react'
import { DataTable, type Column } from '@/components/DataTable'
import { EmptyState } from '@/components/EmptyState'
import { RelativeTime } from '@/components/RelativeTime'
import { ReleaseStateMark } from '@/components/ReleaseStateMark'
import { StatusMark } from '@/components/StatusMark'
import { bytes, count } from '@/lib/format'
import type { TaskPath } from '@/lib/taskName'
import type { useVersions } from '@/hooks/useTaskVersions'
import { MOST_RELEASES, useIsQuarantined, type Releases } from './queries'
import type { Installed, Version } from '@/lib/versions'
import classes from './task.module.css'

type Props = {
  path: TaskPath
  versions: ReturnType<typeof useVersions>
  releases: Releases | undefined
  installed: Installed | undefined
  /** The version shown below. */
  shown: string | undefined
}

/** All versions, highest first, with their outcomes. */
export function VersionTable({ path, versions: { rows, ...found }, releases, installed, shown }: Props) {
  const navigate = useNavigate()
  const devices = new Map(installed?.versions.map((each) => [each.version, each.devices]))
  const columns: Column<Version>[] = [
    {
      key: 'version',
      header: 'Version',
      width: 'minmax(104px, 1fr)',
      render: ({ version }) => (
        <Link
          to="/tasks/$scenario/$task"
          params={path}
          search={{ version }}
          replace
          resetScroll={false}
          className={classes.version}
          aria-current={version === shown ? 'true' : undefined}
        >
          {version}
          {version === shown && <ChevronRight size={14} aria-hidden="true" />}
        </Link>
      ),
    },
    {
      key: 'state',
      header: 'Newest release',
      width: 'minmax(136px, 1fr)',
      render: ({ version }) => releases && <Outcome path={path} version={version} releases={releases} />,
    },
    {
      key: 'devices',
      header: 'Devices',
      width: '96px',
      align: 'end',
      render: ({ version }) => (installed ? count(devices.get(version) ?? 0) : ''),
    },
    { key: 'size', header: 'Size', width: '88px', align: 'end', render: (version) => bytes(version.total_size) },
    {
      key: 'author',
      header: 'Author',
      width: 'minmax(96px, 1fr)',
      wide: true,
      render: (version) => <span title={version.author_email}>{version.author_name}</span>,
    },
    { key: 'tagged', header: 'Tagged', width: '104px', render: (version) => <RelativeTime at={version.tagged_at} /> },
  ]
  return (
    <DataTable
      label="Versions"
      columns={columns}
      rows={rows}
      rowKey={({ version }) => version}
      onOpen={({ version }) =>
        void navigate({
          to: '/tasks/$scenario/$task',
          params: path,
          search: { version },
          replace: true,
          resetScroll: false,
        })
      }
      empty={
        <EmptyState title="No version yet">
          A version is a git tag, such as {path.task}/1.0.0. Instructions are below.
        </EmptyState>
      }
      minWidth={540}
      {...found}
    />
  )
}

type OutcomeProps = { path: TaskPath; version: string; releases: Releases }

/** The outcome of a version's releases. */
function Outcome({ path, version, releases: { results, next } }: OutcomeProps) {
  const releases = results.filter((release) => release.version === version)
  const isQuarantined = useIsQuarantined(path, version, releases)
  const [newest] = releases
  if (isQuarantined) return <Quarantined />
  if (!newest && next === null) return <span className="muted">none</span>
  if (!newest) {
    const explanation = `None of the task’s newest ${MOST_RELEASES} releases has this version`
    return (
      <span className="muted" title={explanation}>
        none recently
      </span>
    )
  }
  return (
    <Link to="/releases/$id" params={{ id: String(newest.id) }} className={classes.plain}>
      <ReleaseStateMark state={newest.state} />
    </Link>
  )
}

export function Quarantined() {
  return (
    <StatusMark tone="bad" icon={ShieldAlert}>
      in quarantine
    </StatusMark>
  )
}
