import { Link } from '@tanstack/react-router'
import { Sparkline } from '@/components/Sparkline'
import { TaskLink } from '@/components/links'
import { Panel } from '@/components/Page'
import { end, NumberCell, Table } from '@/components/Table'
import { bytes, count, percent, plural } from '@/lib/format'
import { milliseconds } from '@/lib/outputs'
import type { FeatureSearch } from './search'
import { savedShare, type FeatureRates } from './series'

const NUMBERS = ['Features', 'Before', 'Sent', 'Saved', 'p50', 'p99'].map(end)
const COLUMNS = ['Task', 'In this time', ...NUMBERS, 'Filter'] as const

/** What each task sent in the time span of the charts, the busiest first. */
export function TasksPanel({ tasks, search }: { tasks: FeatureRates['tasks']; search: FeatureSearch }) {
  return (
    <Panel title="By task" beside={<span className="note">in the time span of the charts, of all devices</span>}>
      <Table label="Features by task" columns={COLUMNS} minWidth={600} maxHeight={320}>
        {tasks.map((each) => (
          <tr key={each.task} data-task={each.task}>
            <th scope="row">
              <TaskLink task={each.task} />
            </th>
            <td>
              <Sparkline
                fromZero
                values={each.steps}
                label={`${plural(each.features, 'feature')}, at most ${count(Math.max(0, ...each.steps))} in a step`}
              />
            </td>
            <NumberCell data-count="features">{count(each.features)}</NumberCell>
            <NumberCell>{bytes(each.raw_bytes)}</NumberCell>
            <NumberCell>{bytes(each.wire_bytes)}</NumberCell>
            <NumberCell>{percent(savedShare(each))}</NumberCell>
            <NumberCell>{milliseconds(each.p50_ms)}</NumberCell>
            <NumberCell>{milliseconds(each.p99_ms)}</NumberCell>
            <td>
              <Link
                to="/features"
                search={{ ...search, task: each.task }}
                aria-label={`Only these: features of ${each.task}`}
              >
                Only these
              </Link>
            </td>
          </tr>
        ))}
      </Table>
    </Panel>
  )
}
