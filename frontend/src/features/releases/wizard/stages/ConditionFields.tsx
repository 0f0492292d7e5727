import { Checkbox } from '@mantine/core'
import { Panel } from '@/components/Page'
import { duration } from '@/lib/time'
import type { Fault } from '../faults'
import type { StrategyForm } from '../strategy'
import { AmountField } from './AmountField'
import { WindowFields } from './WindowFields'
import classes from '../fieldGrid.module.css'

type Props = { form: StrategyForm; faults: readonly Fault[]; change: (some: Partial<StrategyForm>) => void }

/** What has to be before the stages and between them. */
export function ConditionFields({ form, faults, change }: Props) {
  return (
    <Panel title="Before and between stages" level={3}>
      <div className={classes.fields}>
        <Checkbox
          label="Simulate it first"
          description="In every app version and system that it can reach"
          checked={form.simulation}
          onChange={(event) => change({ simulation: event.currentTarget.checked })}
        />
        <Checkbox
          label="Somebody else approves"
          description="After the simulation, before any device"
          checked={form.approval}
          onChange={(event) => change({ approval: event.currentTarget.checked })}
        />
        <AmountField
          label="Held back for comparison, %"
          description="Of the devices, until the last stage"
          path="strategy.control_percent"
          faults={faults}
          value={form.control_percent}
          onChange={(control) => change({ control_percent: control })}
        />
        <AmountField
          label="Grace, s"
          description={`${inWords(form.grace_s)}: waits so long for evidence beyond the dwell time`}
          path="strategy.grace_s"
          faults={faults}
          value={form.grace_s}
          onChange={(grace) => change({ grace_s: grace })}
        />
        <AmountField
          label="Silence, s"
          description={`${inWords(form.silence_s)}: unheard of so long, a device counts as silent`}
          path="strategy.silence_s"
          faults={faults}
          value={form.silence_s}
          onChange={(silence) => change({ silence_s: silence })}
        />
      </div>
      <WindowFields window={form.window} faults={faults} change={(window) => change({ window })} />
    </Panel>
  )
}

function inWords(seconds: number | ''): string {
  return seconds === '' ? 'As usual' : duration(seconds)
}
