import { Link } from '@tanstack/react-router'
import { memo } from 'react'
import { NoDeviceYet } from '@/components/NoDeviceYet'
import { Panel, PanelRow } from '@/components/Page'
import { ShareBar } from '@/components/ShareBar'
import { LinesSkeleton } from '@/components/Skeletons'
import { end, NumberCell, Table } from '@/components/Table'
import { count, percent, share } from '@/lib/format'
import { systemsOf, versionsOf, type Kind } from './coverage'
import type { Glance } from './useFleet'
import classes from './fleet.module.css'

type Devices = Glance['devices']
type Props = { devices: Devices | undefined; app: string | undefined }

/** What the fleet is made of, and how much of each kind has tasks. */
export function CoveragePanels({ devices, app }: Props) {
  if (devices?.known === 0) {
    return (
      <Panel title="Coverage">
        <NoDeviceYet app={app} />
      </Panel>
    )
  }
  return (
    <PanelRow>
      <Versions counted={devices?.app_versions} />
      <Systems counted={devices?.systems} app={app} />
    </PanelRow>
  )
}

// The fleet is told anew more often than what it is made of changes.
const Versions = memo(function Versions({ counted }: { counted: Devices['app_versions'] | undefined }) {
  return <Coverage title="Coverage by app version" kind="App version" rows={counted && versionsOf(counted)} />
})

type SystemsProps = { counted: Devices['systems'] | undefined; app: string | undefined }

const Systems = memo(function Systems({ counted, app }: SystemsProps) {
  return <Coverage title="Coverage by system" kind="System" rows={counted && systemsOf(counted, app)} />
})

type CoverageProps = { title: string; kind: string; rows: Kind[] | undefined }

function Coverage({ title, kind, rows }: CoverageProps) {
  return (
    <Panel title={title}>
      <div className={classes.table}>{rows ? <Kinds title={title} kind={kind} rows={rows} /> : <LinesSkeleton />}</div>
    </Panel>
  )
}

function Kinds({ title, kind, rows }: { title: string; kind: string; rows: Kind[] }) {
  const all = rows.reduce((sum, { known }) => sum + known, 0)
  const columns = [kind, { title: 'Share', is: 'wide' }, end('Devices'), end('Online'), end('With tasks')] as const
  return (
    // Half a row more than nine: there is more below.
    <Table label={title} columns={columns} maxHeight={378}>
      {rows.map((row) => (
        <tr key={row.key} data-kind={row.key}>
          <th scope="row">
            <Link to="/devices" search={{ app: row.app, where: row.where }}>
              {row.name}
            </Link>
          </th>
          <td>
            <ShareBar part={row.known} whole={all} tone="running" label="devices" />
          </td>
          <NumberCell>{count(row.known)}</NumberCell>
          <NumberCell>{count(row.online)}</NumberCell>
          <NumberCell>{percent(share(row.with_tasks, row.known))}</NumberCell>
        </tr>
      ))}
    </Table>
  )
}
