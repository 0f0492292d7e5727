import { Panel } from '@/components/Page'
import { Sparkline } from '@/components/Sparkline'
import { end, NumberCell, Table } from '@/components/Table'
import { plural } from '@/lib/format'
import type { Feature } from './choosing'
import { numbersIn } from './series'

const COLUMNS = ['Value', 'Oldest to newest', ...['Newest', 'Lowest', 'Highest'].map(end)] as const

/** The numbers in the features of one device or task, as they went. */
export function NumbersPanel({ features }: { features: readonly Feature[] }) {
  const series = numbersIn(features)
  if (series.length === 0) return null
  return (
    <Panel title="Numbers" beside={<span className="note">of the {plural(features.length, 'feature')} below</span>}>
      <Table label="Numbers in these features" columns={COLUMNS} maxHeight={240}>
        {series.map(({ name, values }) => (
          <tr key={name} data-number={name}>
            <th scope="row">{name}</th>
            <td>
              <Sparkline values={values} label={`${name} in ${plural(values.length, 'feature')}`} />
            </td>
            {[values.at(-1) ?? 0, Math.min(...values), Math.max(...values)].map((value, index) => (
              <NumberCell key={index}>{Number(value.toPrecision(6))}</NumberCell>
            ))}
          </tr>
        ))}
      </Table>
    </Panel>
  )
}
