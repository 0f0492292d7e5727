import { TextInput } from '@mantine/core'
import { useState } from 'react'
import { Panel } from '@/components/Page'
import { faultsAt, sentence, type Fault } from '../faults'
import { LIMIT_LABELS, limitMeaning } from '../limits'
import { LIMITS, type StrategyForm } from '../strategy'
import { AmountField } from './AmountField'
import classes from '../fieldGrid.module.css'

type Props = { form: StrategyForm; faults: readonly Fault[]; change: (some: Partial<StrategyForm>) => void }

const FIRST = LIMITS.slice(0, 2)
const MORE = LIMITS.slice(2)

/** The limits of the version: a release that exceeds one is rolled back automatically. */
export function LimitFields({ form, faults, change }: Props) {
  const [opened, setOpened] = useState(false)
  // Limits with errors are always visible.
  const wrong = MORE.some((name) => faultsAt(faults, `strategy.limits.${name}`).length > 0)
  const [metricFault] = faultsAt(faults, 'strategy.metric')
  const field = (name: (typeof LIMITS)[number]) => (
    <AmountField
      key={name}
      label={LIMIT_LABELS[name]}
      description={limitMeaning(name, form.limits[name], form.limits)}
      path={`strategy.limits.${name}`}
      faults={faults}
      value={form.limits[name]}
      onChange={(value) => change({ limits: { ...form.limits, [name]: value } })}
    />
  )
  return (
    <Panel title="Limits" level={3}>
      <p className="muted">Rates and margins are shares of the devices that reported: 0.01 is one in a hundred.</p>
      <div className={classes.fields}>
        {FIRST.map(field)}
        <TextInput
          label="Metric"
          description="A number that the task reports and that is checked for drift"
          placeholder="none"
          value={form.metric}
          error={metricFault && sentence(metricFault)}
          onChange={(event) => change({ metric: event.currentTarget.value })}
        />
      </div>
      <details open={opened || wrong} onToggle={(event) => setOpened(event.currentTarget.open)}>
        <summary>More limits</summary>
        <div className={classes.fields}>{MORE.map(field)}</div>
      </details>
    </Panel>
  )
}
