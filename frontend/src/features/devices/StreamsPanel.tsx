import { TaskLink } from '@/components/links'
import { Panel } from '@/components/Page'
import { RelativeTime } from '@/components/RelativeTime'
import { end, NumberCell, Table } from '@/components/Table'
import { bytes, count, partOf, plural } from '@/lib/format'
import { indented } from '@/lib/json'
import { cpuText, milliseconds, plainParts } from '@/lib/outputs'
import type { StreamCost } from './useDevice'
import classes from './streams.module.css'

const COLUMNS = ['Task', ...['Runs', 'Failed', 'Shed', 'p50', 'p99', 'CPU per day'].map(end), 'Counted since'] as const

/** What each stream task costs the device, and its newest features. */
export default function StreamsPanel({ streams }: { streams: readonly StreamCost[] }) {
  return (
    <Panel title="Stream tasks" beside={<span className="note">the last day, by the device's reports</span>}>
      <Table label="What stream tasks cost" columns={COLUMNS}>
        {streams.map((cost) => (
          <tr key={cost.task} data-stream={cost.task}>
            <th scope="row">
              <TaskLink task={cost.task} version={cost.version} />
            </th>
            <NumberCell data-count="runs">{count(cost.runs)}</NumberCell>
            <NumberCell>{cost.failed === 0 ? '0' : partOf(cost.failed, cost.runs)}</NumberCell>
            <NumberCell>{count(cost.shed)}</NumberCell>
            <NumberCell>{milliseconds(cost.p50_ms)}</NumberCell>
            <NumberCell>{milliseconds(cost.p99_ms)}</NumberCell>
            <NumberCell>{cpuText(cost.cpu_s)}</NumberCell>
            <td>
              <RelativeTime at={cost.since} />
            </td>
          </tr>
        ))}
      </Table>
      {streams.map((cost) => (
        <Features key={cost.task} cost={cost} />
      ))}
    </Panel>
  )
}

function Features({ cost }: { cost: StreamCost }) {
  return (
    <section className={classes.stream} aria-label={`Features of ${cost.task}`}>
      <h3>
        {cost.task} <span className="note">from {plural(cost.events, 'event')}</span>
      </h3>
      {cost.tunnel && <Sent {...cost.tunnel} />}
      {cost.failures.length > 0 && (
        <ul className={classes.failures}>
          {cost.failures.map((failure) => (
            <li key={failure.error_class}>
              <code>{failure.error_class}</code> <strong>{count(failure.count)}</strong>{' '}
              <span className="muted">{failure.message}</span>
            </li>
          ))}
        </ul>
      )}
      {cost.features.length === 0 && (
        <p className="note">
          Its outputs stay on the device: it reports none, as a task does that sees private contents.
        </p>
      )}
      {cost.features.map((feature) => (
        <details key={feature.at} className={classes.feature}>
          <summary>
            <RelativeTime at={feature.at} />
            <span className={classes.parts}>
              {plainParts(feature.output).map(([name, value]) => (
                <span key={name}>
                  <span className="muted">{name}</span> {value}
                </span>
              ))}
            </span>
          </summary>
          <pre tabIndex={0}>{indented(feature.output)}</pre>
        </details>
      ))}
    </section>
  )
}

/** What sending the features cost the device. */
function Sent({ features, raw_bytes: raw, wire_bytes: wire, dropped, connects }: NonNullable<StreamCost['tunnel']>) {
  const others = [
    dropped > 0 && `${plural(dropped, 'feature')} of all tasks dropped`,
    connects > 0 && `connected ${plural(connects, 'time')}`,
  ]
  return (
    <p className="note" data-sent="features">
      Sent {plural(features, 'feature')}: {bytes(raw)} before compression, {bytes(wire)} after
      {others.filter(Boolean).map((each) => `; ${each}`)}
    </p>
  )
}
