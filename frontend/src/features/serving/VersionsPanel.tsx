import type { Schemas } from '@/api/schemas'
import { ReleaseLink, TaskLink } from '@/components/links'
import { Panel } from '@/components/Page'
import { StatusMark } from '@/components/StatusMark'
import { end, NumberCell, Table } from '@/components/Table'
import { bytes, count, rate } from '@/lib/format'
import { milliseconds } from '@/lib/outputs'
import { shareWords, type Offering } from './offerings'

type Version = Schemas['ServedVersion']

const NUMBERS = ['Requests/s', 'Records/s', 'p50', 'p90', 'p99', 'Failed', 'Refused', 'Size'].map(end)
const COLUMNS = ['Version', 'Answers', ...NUMBERS] as const

/** The versions, the newest first: which callers each answers, and how that went in the last five minutes. */
export function VersionsPanel({ pipeline }: { pipeline: Schemas['PipelineDetail'] }) {
  return (
    <Panel title="Versions" beside={<span className="note">figures of the last five minutes</span>}>
      <Table label="Versions that are served" columns={COLUMNS} minWidth={860} maxHeight={320}>
        {pipeline.versions.map((each) => (
          <Row
            key={each.version}
            version={each}
            task={pipeline.name}
            offerings={pipeline.offerings.filter(({ manifest_digest: digest }) => digest === each.manifest_digest)}
          />
        ))}
      </Table>
    </Panel>
  )
}

function Row({ version, task, offerings }: { version: Version; task: string; offerings: readonly Offering[] }) {
  const { figures } = version
  return (
    <tr data-version={version.version}>
      <th scope="row">
        <TaskLink task={task} version={version.version}>
          {version.version}
        </TaskLink>
      </th>
      <td>
        {offerings.length === 0 && <span className="muted">nobody</span>}
        {offerings.map((each) => (
          <div key={`${each.app} ${each.release}`}>
            <Answers offering={each} /> <ReleaseLink release={each.release} />
          </div>
        ))}
      </td>
      <NumberCell>{rate(figures.requests_per_s)}</NumberCell>
      <NumberCell>{rate(figures.records_per_s)}</NumberCell>
      <NumberCell>{milliseconds(figures.p50_ms)}</NumberCell>
      <NumberCell>{milliseconds(figures.p90_ms)}</NumberCell>
      <NumberCell>{milliseconds(figures.p99_ms)}</NumberCell>
      <NumberCell>{count(figures.failed)}</NumberCell>
      <NumberCell>{count(figures.refused)}</NumberCell>
      <NumberCell>{bytes(version.size)}</NumberCell>
    </tr>
  )
}

function Answers({ offering: { app, share_percent: share, control_percent: control, mode } }: { offering: Offering }) {
  const words = `${shareWords(share)} in ${app}${control > 0 ? `, ${shareWords(control)} held back` : ''}`
  if (mode === 'held') return <StatusMark tone="attention">{`${words}, on hold`}</StatusMark>
  return <StatusMark tone={mode === 'complete' ? 'ok' : 'running'}>{words}</StatusMark>
}
