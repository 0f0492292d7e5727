import { Fact, Facts } from '@/components/Facts'
import { Panel } from '@/components/Page'
import { ShareBar } from '@/components/ShareBar'
import { Table } from '@/components/Table'
import { bytes, count, percent } from '@/lib/format'
import { choicesOf, refusalsOf, type ModelPlan } from './models'
import { className } from './runs'

/** How a model of the version will run: its operators and memory, and what each class of devices runs it on. */
export function ModelsPanel({ plan }: { plan: ModelPlan }) {
  const { name, file, mode, inputs, outputs, constant_bytes: weights, memory, steps, profile, classes } = plan
  return (
    <Panel title={`Model ${name}`} beside={<span className="note">{file}</span>}>
      <Facts>
        <Fact name="Takes">
          {Object.entries(inputs)
            .map(([input, type]) => `${input} ${type}`)
            .join(', ')}
        </Fact>
        <Fact name="Answers">{outputs.join(', ')}</Fact>
        <Fact name="Operators">{counts(plan.operators)}</Fact>
        {mode === 'session' && <Fact name="When run">{counts(steps)}</Fact>}
        <Fact name="Weights">{bytes(weights)}</Fact>
        {memory && (
          <Fact name="Memory">
            {bytes(memory.planned)} planned, {bytes(memory.naive)} without sharing
          </Fact>
        )}
        {mode === 'module' && <Fact name="Runs on">{plan.why}</Fact>}
      </Facts>
      {profile.length > 0 && (
        <Table label={`Operator profile of ${name}`} columns={['Work', 'Operators', 'Operations', 'Share of a run']}>
          {profile.map((each) => (
            <tr key={each.kind}>
              <th scope="row">{each.kind}</th>
              <td>{count(each.operators)}</td>
              <td>{count(each.operations)}</td>
              <td>
                {percent(each.share, 0)}
                <ShareBar part={each.share} whole={1} tone="running" label={`of a run is ${each.kind}`} />
              </td>
            </tr>
          ))}
        </Table>
      )}
      {classes.length > 0 && (
        <Table label={`Backends of ${name}`} columns={['Devices', 'Backends, the first that is there']}>
          {classes.map((each) => (
            <tr key={each.performance}>
              <th scope="row">{className({ os: '', performance: each.performance })}</th>
              <td>
                {choicesOf(each).map(({ backend, where, times }) => (
                  <div key={backend}>
                    {backend} <span className="muted">{`${where}: ${times}`}</span>
                  </div>
                ))}
              </td>
            </tr>
          ))}
        </Table>
      )}
      {refusalsOf(plan).map((text) => (
        <p key={text} className="note">
          {text}
        </p>
      ))}
      {classes.length > 0 && (
        <p className="note">Predicted when it was pushed. What devices report is under Runs by device.</p>
      )}
    </Panel>
  )
}

function counts(of: Record<string, number>): string {
  // What there is most of first: the database gives the names in an order of its own.
  return Object.entries(of)
    .sort(([a, more], [b, fewer]) => fewer - more || a.localeCompare(b))
    .map(([name, number]) => `${name} ${count(number)}`)
    .join(', ')
}
