import { Table, TextCell } from '@/components/Table'
import { plural } from '@/lib/format'
import { rulesByStep, type Rule } from './explanation'
import classes from './serving.module.css'

const COLUMNS = ['Step', 'Rule', 'Before', 'After'] as const

/** What the oven rewrote, in its order: each application of a rule, before and after. */
export function RulesPart({ rules }: { rules: readonly Rule[] }) {
  return (
    <section className={classes.part}>
      <h3>{`What the oven did: ${plural(rules.length, 'rule application')}`}</h3>
      {rules.length > 0 && (
        <Table label="Rules that were applied" columns={COLUMNS} minWidth={720} maxHeight={420}>
          {rulesByStep(rules).flatMap(({ step, rules: applied }) =>
            applied.map(({ rule, before, after }, index) => (
              <tr key={`${step} ${index}`} data-rule={rule}>
                <td>{index === 0 && step}</td>
                <th scope="row">{rule}</th>
                <Lines lines={before} />
                <Lines lines={after} />
              </tr>
            )),
          )}
        </Table>
      )}
    </section>
  )
}

function Lines({ lines }: { lines: readonly string[] }) {
  return (
    <TextCell>
      {lines.map((line, index) => (
        <div key={index} className="mono">
          {line}
        </div>
      ))}
    </TextCell>
  )
}
