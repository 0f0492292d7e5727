import { Panel } from '@/components/Page'
import { end, NumberCell, Table } from '@/components/Table'
import type { Placement } from './answer'
import { measuredModels, profileOf } from './profiles'

const COLUMNS = [
  'Operator',
  'Model',
  'Worker type',
  end('Accuracy at most'),
  end('p50, ms'),
  end('p75, ms'),
  end('p90, ms'),
] as const

/** What was measured for a placement: accuracies on validation data, and how long an item takes. */
export function MeasurementsPanel({ placement }: { placement: Placement }) {
  const profile = profileOf(placement.profiled)
  return (
    <Panel title="Measured" beside={<span className="note">{`of ${profile?.name ?? ''}`}</span>}>
      <Table label="Measured models" columns={COLUMNS} minWidth={640} maxHeight={320}>
        {measuredModels(placement).map(({ operator, model, type, accuracy, p50, p75, p90 }) => (
          <tr key={`${operator} ${model} ${type}`}>
            <th scope="row">{operator}</th>
            <td>{model}</td>
            <td>{type}</td>
            <NumberCell>{accuracy === null ? '–' : accuracy.toFixed(1)}</NumberCell>
            {[p50, p75, p90].map((value, index) => (
              <NumberCell key={index}>{value.toFixed(2)}</NumberCell>
            ))}
          </tr>
        ))}
      </Table>
    </Panel>
  )
}
