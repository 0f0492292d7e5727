import { Link } from '@tanstack/react-router'
import { Waypoints } from 'lucide-react'
import { DataTable, type Column } from '@/components/DataTable'
import { EmptyState } from '@/components/EmptyState'
import { Sparkline } from '@/components/Sparkline'
import { TaskLink } from '@/components/links'
import { RelativeTime } from '@/components/RelativeTime'
import { StatusMark } from '@/components/StatusMark'
import { bytes } from '@/lib/format'
import { milliseconds, plainParts } from '@/lib/outputs'
import type { Feature } from './choosing'
import { curveOf } from './series'
import type { useFeatureRows } from './useFeatures'
import classes from './features.module.css'

const COLUMNS: Column<Feature>[] = [
  { key: 'at', header: 'Received', width: '104px', render: (row) => <RelativeTime at={row.received_at} /> },
  {
    key: 'device',
    header: 'Device',
    width: 'minmax(140px, 0.8fr)',
    render: ({ app, device }) => (
      <Link className="mono" to="/features" search={{ app, device }} tabIndex={-1}>
        {device}
      </Link>
    ),
  },
  {
    key: 'task',
    header: 'Task',
    width: 'minmax(150px, 0.8fr)',
    render: ({ task, version }) => <TaskLink task={task} {...(version && { version })} />,
  },
  {
    key: 'version',
    header: 'Version',
    width: '174px',
    render: ({ version, rolled_back: isBack }) =>
      isBack ? <StatusMark tone="bad">{`${version} rolled back`}</StatusMark> : version || 'unknown',
  },
  { key: 'delay', header: 'Delay', width: '80px', align: 'end', render: (row) => milliseconds(row.delay_ms) },
  { key: 'size', header: 'Sent', width: '72px', align: 'end', wide: true, render: (row) => bytes(row.wire_bytes) },
  { key: 'values', header: 'Values', width: 'minmax(160px, 2fr)', render: (row) => <Values feature={row} /> },
]

type Props = {
  rows: ReturnType<typeof useFeatureRows>
  isNarrowed: boolean
  onOpen: (feature: Feature) => void
}

/** The newest features, as they arrive. */
export function FeatureTable({ rows, isNarrowed, onOpen }: Props) {
  return (
    <div className={classes.table}>
      <DataTable
        label="Newest features"
        columns={COLUMNS}
        rowKey={({ id }) => id}
        onOpen={onOpen}
        empty={isNarrowed ? <NothingFits /> : <NothingYet />}
        minWidth={902}
        {...rows}
      />
    </div>
  )
}

function Values({ feature: { values, raw_bytes: length } }: { feature: Feature }) {
  if (values === null) return <span className="muted">{bytes(length)} of values</span>
  return (
    <span>
      {plainParts(values).map(([name, value]) => (
        <span key={name} className={classes.value}>
          <span className="muted">{name}</span> {value}
          <Curve name={name} value={values[name]} />
        </span>
      ))}
    </span>
  )
}

/** A list of numbers as a curve; the numbers themselves are in the feature that is opened. */
function Curve({ name, value }: { name: string; value: unknown }) {
  const values = curveOf(value)
  return values && <Sparkline values={values} label={`${name}: ${values.length} numbers`} />
}

function NothingFits() {
  return (
    <EmptyState title="No feature fits the filters" icon={Waypoints}>
      <Link to="/features">Show all features</Link>
    </EmptyState>
  )
}

function NothingYet() {
  return (
    <EmptyState
      title="No feature has arrived yet"
      icon={Waypoints}
      command="walle version upload FOLDER SCENARIO/TASK VERSION"
    >
      A task sends what its runs find out if its task.toml has a part [upload]. Release such a task to devices: their
      features appear here as they arrive.
    </EmptyState>
  )
}
