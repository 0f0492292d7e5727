import { Link } from '@tanstack/react-router'
import { Panel } from '@/components/Page'
import { RelativeTime } from '@/components/RelativeTime'
import { LinesSkeleton } from '@/components/Skeletons'
import { StatusMark } from '@/components/StatusMark'
import { end, NumberCell, Table, TextCell } from '@/components/Table'
import { bytes, count } from '@/lib/format'
import { impairments, readHost, type Host } from './runtime'
import type { ServingSearch } from './search'

const NUMBERS = ['Ready', 'Isolated', 'Executors', 'Waiting', 'Memory'].map(end)
const COLUMNS = ['Host', 'State', 'Last report', ...NUMBERS] as const

type Props = { hosts: readonly Host[] | undefined; shown: string | undefined; search: ServingSearch }

/** The processes that serve: whether they live, and what impairs them. */
export function HostsPanel({ hosts, shown, search }: Props) {
  return (
    <Panel
      title="Hosts"
      beside={<span className="note">each reports every five seconds; its lease is 20 seconds</span>}
    >
      {hosts === undefined && <LinesSkeleton lines={3} />}
      {hosts?.length === 0 && (
        <p className="note">
          No serving process has reported yet. `make run` starts one; in production it is a service of its own.
        </p>
      )}
      {hosts !== undefined && hosts.length > 0 && (
        <Table label="Serving hosts" columns={COLUMNS} minWidth={720}>
          {hosts.map((host) => (
            <Row key={host.name} host={host} isShown={host.name === shown} search={search} />
          ))}
        </Table>
      )}
    </Panel>
  )
}

function Row({ host, isShown, search }: { host: Host; isShown: boolean; search: ServingSearch }) {
  const state = readHost(host.state)
  const troubles = impairments(host)
  const waiting = state.queues.reduce((sum, { low, high }) => sum + low + high, 0)
  return (
    <>
      <tr data-host={host.name}>
        <th scope="row">
          <Link to="/serving" search={{ ...search, host: host.name }} aria-current={isShown ? 'true' : undefined}>
            <bdi>{host.name}</bdi>
          </Link>
        </th>
        <td>
          <HostMark lost={host.lost} isImpaired={host.isolated > 0} />
        </td>
        <td>
          <RelativeTime at={host.seen_at} />
        </td>
        <NumberCell>{count(host.installed)}</NumberCell>
        <NumberCell>{count(host.isolated)}</NumberCell>
        <NumberCell>{count(state.executors)}</NumberCell>
        <NumberCell>{count(waiting)}</NumberCell>
        <NumberCell>{bytes(state.sharedBytes)}</NumberCell>
      </tr>
      {troubles.length > 0 && (
        <tr>
          <TextCell colSpan={COLUMNS.length}>Since it started: {troubles.join(', ')}.</TextCell>
        </tr>
      )}
    </>
  )
}

/** The state of a host; one without a report for longer than its lease is lost. */
function HostMark({ lost, isImpaired }: { lost: boolean; isImpaired: boolean }) {
  if (lost) return <StatusMark tone="bad">lost</StatusMark>
  return isImpaired ? <StatusMark tone="attention">impaired</StatusMark> : <StatusMark tone="ok">serving</StatusMark>
}
