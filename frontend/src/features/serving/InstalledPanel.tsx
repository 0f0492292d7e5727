import { Link } from '@tanstack/react-router'
import type { Schemas } from '@/api/schemas'
import { Panel } from '@/components/Page'
import { RelativeTime } from '@/components/RelativeTime'
import { StatusMark } from '@/components/StatusMark'
import { end, NumberCell, Table, TextCell } from '@/components/Table'
import { bytes, count, percent, plural, rate } from '@/lib/format'
import { milliseconds } from '@/lib/outputs'
import { readPlan } from './runtime'

type Hosted = Schemas['HostedPlan']

const NUMBERS = ['Records/s', 'p50', 'p99', 'p99 of batches', 'From cache', 'Stages shared', 'Errors'].map(end)
const COLUMNS = ['Host', 'Version', 'State', 'Engine', ...NUMBERS, 'Reservation'] as const

/** Where which version is installed, what the runtime there counts of it, and why it is not ready. */
export function InstalledPanel({ plans }: { plans: readonly Hosted[] }) {
  return (
    <Panel
      title="On hosts"
      beside={<span className="note">times without the way to the host, since it was loaded</span>}
    >
      {plans.length === 0 ? (
        <p className="note">No host has a version installed. Hosts install what a release offers to callers.</p>
      ) : (
        <Table label="Versions on hosts" columns={COLUMNS} minWidth={1000} maxHeight={400}>
          {plans.map((each) => (
            <Row key={`${each.host} ${each.manifest_digest}`} hosted={each} />
          ))}
        </Table>
      )}
    </Panel>
  )
}

function Row({ hosted }: { hosted: Hosted }) {
  const { host, version, problem, error_class: kind, runtime } = hosted
  const state = readPlan(runtime)
  return (
    <>
      <tr data-plan={`${host} ${version}`}>
        <th scope="row">
          <Link to="/serving" search={{ host }}>
            <bdi>{host}</bdi>
          </Link>
        </th>
        <td>{version}</td>
        <td>
          <HostedState hosted={hosted} />
        </td>
        <td>{state?.engine ?? '–'}</td>
        <NumberCell>{state ? rate(state.recordsPerS) : '–'}</NumberCell>
        <NumberCell>{milliseconds(state?.p50 ?? null)}</NumberCell>
        <NumberCell>{milliseconds(state?.p99 ?? null)}</NumberCell>
        <NumberCell>{milliseconds(state?.batchP99 ?? null)}</NumberCell>
        <NumberCell>{state && state.records > 0 ? percent(state.fromCache / state.records) : '–'}</NumberCell>
        <NumberCell>{state ? sharedWords(state.sharedStages, state.hitRate) : '–'}</NumberCell>
        <NumberCell>{state ? count(state.errors) : '–'}</NumberCell>
        <td>
          {state?.reservation
            ? `${plural(state.reservation.cores, 'core')}, ${bytes(state.reservation.bytes)}`
            : 'none'}
        </td>
      </tr>
      {problem && (
        <tr>
          <TextCell colSpan={COLUMNS.length}>
            {version} on {host}: {problem} {kind && `(${kind})`} The version before it answers its callers.
          </TextCell>
        </tr>
      )}
    </>
  )
}

function HostedState({ hosted: { state, since, lost } }: { hosted: Hosted }) {
  if (lost) return <StatusMark tone="bad">host lost</StatusMark>
  if (state === 'ready') return <StatusMark tone="ok">ready</StatusMark>
  return (
    <StatusMark tone="bad">
      {state === 'isolated' ? 'isolated' : 'not installed'} <RelativeTime at={since} />
    </StatusMark>
  )
}

/** "2, 81 % looked up with success" */
function sharedWords(stages: number, hitRate: number | null): string {
  return hitRate === null ? count(stages) : `${count(stages)}, ${percent(hitRate)} known`
}
