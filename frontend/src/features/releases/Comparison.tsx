import { Link } from '@tanstack/react-router'
import type { ReleaseDetail } from '@/api/schemas'
import { EmptyState } from '@/components/EmptyState'
import { Panel } from '@/components/Page'
import { RelativeTime } from '@/components/RelativeTime'
import { end, NumberCell, Table } from '@/components/Table'
import { audienceWords } from '@/lib/audience'
import { count } from '@/lib/format'
import { compared, notCounted } from './comparison'
import { readCounts, readFigures, readStrategy } from './figures'
import classes from './releases.module.css'

/** The new version compared with the control group. */
export function Comparison({ release }: { release: ReleaseDetail }) {
  const figures = readFigures(release.figures)
  const verdict = release.verdicts.at(-1)
  const decided = verdict ? readCounts(verdict.evidence) : null
  const { one, many, Many } = audienceWords(release.kind)
  const counted = figures.countedAt && (
    <span className="note">
      counted <RelativeTime at={figures.countedAt} />
    </span>
  )
  return (
    <Panel title="New against current" beside={counted}>
      <Table label="New against current" columns={[Many, ...columnsOf(release.version, decided !== null)]}>
        {compared(figures, decided).map(({ name, treatment, control }) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            {decided && <NumberCell data-decided={name}>{treatment.decided}</NumberCell>}
            <NumberCell data-now={name}>{treatment.now}</NumberCell>
            {decided && <NumberCell>{control.decided}</NumberCell>}
            <NumberCell>{control.now}</NumberCell>
          </tr>
        ))}
      </Table>
      {verdict && (
        <p className="note">
          Decided: when the last verdict was reached, <RelativeTime at={verdict.at} />. New is {release.version}.
        </p>
      )}
      {figures.newDevices.drawn > 0 && <p className="note">{notCounted(figures.newDevices)}</p>}
      {figures.errors.length > 0 && (
        <div>
          <h3 className={classes.sub}>Why {many} failed</h3>
          <ul className={classes.errors}>
            {figures.errors.map(([name, devices]) => (
              <li key={name}>
                <code>{name || 'unknown'}</code>{' '}
                <Link
                  to="/releases/$id/devices"
                  params={{ id: String(release.id) }}
                  search={{ became: 'failed', ...(name && { error: name }) }}
                >
                  <strong>{count(devices)}</strong>
                </Link>
              </li>
            ))}
          </ul>
        </div>
      )}
      {figures.control.drawn === 0 && readStrategy(release.strategy).control === 0 && (
        <EmptyState title={`No ${one} is held back`}>
          A control group in the strategy tells failures of the version from failures with another cause.
        </EmptyState>
      )}
    </Panel>
  )
}

function columnsOf(version: string, isDecided: boolean) {
  if (!isDecided) return [end(`New ${version}`), end('Control')]
  return ['New, decided', 'New, now', 'Control, decided', 'Control, now'].map(end)
}
