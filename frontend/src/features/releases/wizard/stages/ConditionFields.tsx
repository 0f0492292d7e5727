import { Checkbox } from '@mantine/core'
import { Panel } from '@/components/Page'
import { duration } from '@/lib/time'
import type { Fault } from '../faults'
import type { StrategyForm } from '../strategy'
import { WarningList } from '../WarningList'
import { warningsAt, type PlanWarning } from '../warnings'
import { AmountField } from './AmountField'
import { WindowFields } from './WindowFields'
import classes from '../fieldGrid.module.css'

type Props = {
  form: StrategyForm
  faults: readonly Fault[]
  warnings: readonly PlanWarning[]
  change: (some: Partial<StrategyForm>) => void
}

/** The places of the fields below in the request. */
export const CONDITIONS = [
  'simulation',
  'approval',
  'control_percent',
  'grace_s',
  'silence_s',
  'defer_s',
  'window',
].map((name) => `strategy.${name}`)

/** The conditions before the stages and between them. */
export function ConditionFields({ form, faults, warnings, change }: Props) {
  return (
    <Panel title="Conditions" level={3}>
      <WarningList warnings={CONDITIONS.flatMap((place) => warningsAt(warnings, place))} />
      <div className={classes.fields}>
        <Checkbox
          label="Simulate first"
          description="On every app version and system that the rule can match"
          checked={form.simulation}
          onChange={(event) => change({ simulation: event.currentTarget.checked })}
        />
        <Checkbox
          label="Require approval"
          description="By somebody else, after the simulation and before any device"
          checked={form.approval}
          onChange={(event) => change({ approval: event.currentTarget.checked })}
        />
        <AmountField
          label="Control group, %"
          description="Devices held back for comparison until the last stage"
          path="strategy.control_percent"
          faults={faults}
          value={form.control_percent}
          onChange={(control) => change({ control_percent: control })}
        />
        <AmountField
          label="Grace period, s"
          description={`${inWords(form.grace_s)}: how long a stage waits for its minimum samples after its soak time`}
          path="strategy.grace_s"
          faults={faults}
          value={form.grace_s}
          onChange={(grace) => change({ grace_s: grace })}
        />
        <AmountField
          label="Silence timeout, s"
          description={`${inWords(form.silence_s)}: a device counts as silent after this time without a check-in`}
          path="strategy.silence_s"
          faults={faults}
          value={form.silence_s}
          onChange={(silence) => change({ silence_s: silence })}
        />
        <AmountField
          label="Devices may put it off, s"
          description={`${deferredFor(form.defer_s)}: in a call, on battery; it never delays a rollback`}
          path="strategy.defer_s"
          faults={faults}
          value={form.defer_s}
          onChange={(defer) => change({ defer_s: defer })}
        />
      </div>
      <WindowFields window={form.window} faults={faults} change={(window) => change({ window })} />
    </Panel>
  )
}

function deferredFor(seconds: number | ''): string {
  return seconds === 0 ? 'Not at all' : inWords(seconds)
}

function inWords(seconds: number | ''): string {
  return seconds === '' ? 'Default' : duration(seconds)
}
