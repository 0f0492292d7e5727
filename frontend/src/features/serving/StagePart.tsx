import { end, NumberCell, Table, TextCell } from '@/components/Table'
import { bytes, plural } from '@/lib/format'
import { sharersOf, type PlanStage, type Sharing, type Transformation } from './explanation'
import classes from './serving.module.css'

const COLUMNS = ['Transformation', 'What it does', 'Of', 'Type', 'Labels', end('Parameters')] as const
const PART_COLUMNS = ['Physical stage', 'Kernels', 'Result', 'Shared with'] as const

/** A plan stage: the transformations that are done together, the kernels that do them, and who else has these. */
export function StagePart({ stage, shared }: { stage: PlanStage; shared: readonly Sharing[] }) {
  return (
    <section className={classes.part} aria-live="polite" data-stage={stage.id}>
      <h3>{`Plan stage ${stage.id}`}</h3>
      <p className="note">
        {plural(stage.transformations.length, 'transformation')} done together, by the kernels below. A physical stage
        is shared with versions whose plans compute the same of the same columns.
      </p>
      <Table label={`Transformations of ${stage.id}`} columns={COLUMNS} minWidth={760} maxHeight={360}>
        {stage.transformations.map((each) => (
          <Row key={each.id} transformation={each} />
        ))}
      </Table>
      <Table label={`Physical stages of ${stage.id}`} columns={PART_COLUMNS} minWidth={640}>
        {stage.parts.map((part) => (
          <tr key={part.id} data-part={part.id}>
            <th scope="row">{part.id}</th>
            <TextCell>{part.kernels.join(', ')}</TextCell>
            <td>{part.isMaterialized ? 'kept for other plans' : 'not kept'}</td>
            <TextCell>
              {sharersOf([part], shared)
                .map(({ task, version }) => `${task} ${version}`)
                .join(', ') || 'nobody'}
            </TextCell>
          </tr>
        ))}
      </Table>
    </section>
  )
}

function Row({ transformation: { id, operator, words, inputs, settings, type, labels, bytes: size } }: RowProps) {
  const chosen = Object.entries(settings).filter(([, value]) => value !== null)
  return (
    <tr>
      <th scope="row">
        <span className="mono">{id}</span>
      </th>
      <TextCell>
        {operator}
        {words && `: ${words}`}
        {chosen.length > 0 && (
          <span className="muted"> {chosen.map(([name, value]) => `${name} ${JSON.stringify(value)}`).join(', ')}</span>
        )}
      </TextCell>
      <TextCell>{inputs.map((each) => each.replace('column:', '')).join(', ')}</TextCell>
      <td>{type}</td>
      <TextCell>{labels.join(', ')}</TextCell>
      <NumberCell>{size > 0 ? bytes(size) : '–'}</NumberCell>
    </tr>
  )
}

type RowProps = { transformation: Transformation }
