import { Link } from '@tanstack/react-router'
import type { Schemas } from '@/api/schemas'
import { Panel } from '@/components/Page'
import { RelativeTime } from '@/components/RelativeTime'
import { StatusMark } from '@/components/StatusMark'
import { end, NumberCell, Table } from '@/components/Table'
import type { Tone } from '@/lib/tone'
import { dollars } from './answer'
import { profileOf } from './profiles'

type State = Schemas['PlacementState']

const TONES: Record<State, Tone> = {
  pending: 'running',
  running: 'running',
  succeeded: 'ok',
  infeasible: 'attention',
  failed: 'bad',
  cancelled: 'none',
}
const COLUMNS = ['Placement', 'State', end('Per hour'), 'Numbers of', 'Asked for by', 'When'] as const

export function PlacementStateMark({ state }: { state: State }) {
  return <StatusMark tone={TONES[state]}>{state}</StatusMark>
}

type Props = { placements: readonly Schemas['Placement'][]; shown: number | undefined }

/** The last placements of a workflow. */
export function HistoryPanel({ placements, shown }: Props) {
  return (
    <Panel title="Placements">
      <Table label="Placements" columns={COLUMNS} minWidth={600} maxHeight={280}>
        {placements.map(({ id, scenario, workflow, state, cost, profiled, created_by: by, created_at: at }) => (
          <tr key={id} data-placement={id}>
            <th scope="row">
              <Link
                to="/placements/$scenario/$workflow"
                params={{ scenario, workflow }}
                search={{ placement: String(id) }}
                aria-current={id === shown ? 'true' : undefined}
              >
                {`#${id}`}
              </Link>
            </th>
            <td>
              <PlacementStateMark state={state} />
            </td>
            <NumberCell>{cost === null ? '–' : dollars(cost)}</NumberCell>
            <td>{profileOf(profiled)?.name ?? 'the document'}</td>
            <td>{by}</td>
            <td>
              <RelativeTime at={at} />
            </td>
          </tr>
        ))}
      </Table>
    </Panel>
  )
}
