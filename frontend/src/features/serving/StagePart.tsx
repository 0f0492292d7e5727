import { end, NumberCell, Table, TextCell } from '@/components/Table'
import { bytes } from '@/lib/format'
import type { PlanStage, Sharing, Transformation } from './explanation'
import classes from './serving.module.css'

const COLUMNS = ['Transformation', 'What it does', 'Of', 'Type', 'Labels', end('Parameters')] as const
const PART_COLUMNS = ['Physical stage', 'Kernels', 'Result'] as const

/** A plan stage: the transformations that are done together, the kernels that do them, and who else has it. */
export function StagePart({ stage, sharers }: { stage: PlanStage; sharers: readonly Sharing[] }) {
  return (
    <section className={classes.part} aria-live="polite" data-stage={stage.id}>
      <h3>{`Plan stage ${stage.id}`}</h3>
      <p className="note">
        {sharers.length === 0
          ? 'No other installed version has it.'
          : `Its result is the same, for the same input, in ${sharers.map(({ task, version }) => `${task} ${version}`).join(', ')}: it computes the same of the same columns.`}
      </p>
      <Table label={`Transformations of ${stage.id}`} columns={COLUMNS} minWidth={760} maxHeight={360}>
        {stage.transformations.map((each) => (
          <Row key={each.id} transformation={each} />
        ))}
      </Table>
      <Table label={`Physical stages of ${stage.id}`} columns={PART_COLUMNS} minWidth={480}>
        {stage.parts.map(({ id, kernels, isMaterialized }) => (
          <tr key={id}>
            <th scope="row">{id}</th>
            <TextCell>{kernels.join(', ')}</TextCell>
            <td>{isMaterialized ? 'kept for plans that have it, too' : 'not kept'}</td>
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
