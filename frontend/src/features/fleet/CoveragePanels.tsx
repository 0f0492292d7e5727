import { Link } from '@tanstack/react-router'
import { memo, useMemo } from 'react'
import { NoDeviceYet } from '@/components/NoDeviceYet'
import { Panel, PanelRow } from '@/components/Page'
import { ShareBar } from '@/components/ShareBar'
import { end, NumberCell, Table } from '@/components/Table'
import { count, percent, share } from '@/lib/format'
import { othersOf, systemsOf, versionsOf, type Counts, type Kind } from './coverage'
import type { FleetSnapshot } from './useFleet'
import classes from './fleet.module.css'

type Devices = FleetSnapshot['devices']
type Props = { devices: Devices; app: string | undefined }

/** The composition of the fleet, and how much of each kind has tasks. */
export function CoveragePanels({ devices, app }: Props) {
  if (devices.known === 0) {
    return (
      <Panel title="Coverage">
        <NoDeviceYet app={app} />
      </Panel>
    )
  }
  return (
    <PanelRow>
      <Versions devices={devices} />
      <Systems devices={devices} app={app} />
    </PanelRow>
  )
}

function Versions({ devices }: { devices: Devices }) {
  const counted = devices.app_versions
  const rows = useMemo(() => versionsOf(counted), [counted])
  return <Coverage title="Coverage by app version" kind="App version" rows={rows} all={devices} />
}

function Systems({ devices, app }: Props) {
  const counted = devices.systems
  const rows = useMemo(() => systemsOf(counted, app), [counted, app])
  return <Coverage title="Coverage by system" kind="System" rows={rows} all={devices} />
}

type CoverageProps = { title: string; kind: string; rows: Kind[]; all: Counts }

function Coverage(props: CoverageProps) {
  return (
    <Panel title={props.title}>
      <div className={classes.table}>
        <Kinds {...props} />
      </div>
    </Panel>
  )
}

function Kinds({ title, kind, rows, all }: CoverageProps) {
  const others = othersOf(all, rows)
  const columns = [kind, { title: 'Share', is: 'wide' }, end('Devices'), end('Online'), end('With tasks')] as const
  return (
    // Half a row more than nine, to show that there is more below.
    <Table label={title} columns={columns} maxHeight={378}>
      {rows.map((row) => (
        <KindRow key={row.key} row={row} all={all.known} />
      ))}
      {others.known > 0 && (
        <tr>
          <th scope="row">Others</th>
          <Figures counts={others} all={all.known} />
        </tr>
      )}
    </Table>
  )
}

// Memoized, because the fleet is sent more often than its composition changes.
const KindRow = memo(function KindRow({ row, all }: { row: Kind; all: number }) {
  return (
    <tr data-kind={row.key}>
      <th scope="row">
        {row.where === null ? (
          row.name
        ) : (
          <Link to="/devices" search={{ app: row.app, where: row.where, revoked: 'false' }}>
            {row.name}
          </Link>
        )}
      </th>
      <Figures counts={row} all={all} />
    </tr>
  )
})

function Figures({ counts: { known, online, with_tasks }, all }: { counts: Counts; all: number }) {
  return (
    <>
      <td>
        <ShareBar part={known} whole={all} tone="running" label="devices" />
      </td>
      <NumberCell>{count(known)}</NumberCell>
      <NumberCell>{count(online)}</NumberCell>
      <NumberCell>{percent(share(with_tasks, known))}</NumberCell>
    </>
  )
}
