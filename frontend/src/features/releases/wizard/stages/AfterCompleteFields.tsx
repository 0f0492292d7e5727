import { Checkbox, NativeSelect } from '@mantine/core'
import { Panel } from '@/components/Page'
import { percent } from '@/lib/format'
import { duration } from '@/lib/time'
import type { Fault } from '../faults'
import { USUAL_WATCH, type AfterCompleteForm, type StrategyForm } from '../strategy'
import { WarningList } from '../WarningList'
import { warningsAt, type PlanWarning } from '../warnings'
import { AmountField } from './AmountField'
import classes from '../fieldGrid.module.css'

type Props = {
  form: StrategyForm
  faults: readonly Fault[]
  warnings: readonly PlanWarning[]
  change: (some: Partial<StrategyForm>) => void
}

/** The place of these fields in the request. */
export const AFTER_COMPLETE = 'strategy.after_complete'

const ACTIONS = [
  { value: 'alert', label: 'Alert' },
  { value: 'roll-back', label: 'Roll back' },
]

/** How the release is watched once it is complete, as long as no newer one takes its place. */
export function AfterCompleteFields({ form, faults, warnings, change }: Props) {
  const { after_complete: watch } = form
  const set = (some: Partial<AfterCompleteForm>) => change({ after_complete: { ...(watch ?? USUAL_WATCH), ...some } })
  return (
    <Panel title="After completion" level={3}>
      <WarningList warnings={warningsAt(warnings, AFTER_COMPLETE)} />
      <Checkbox
        label="Watch the release after it is complete"
        description="Devices that run the version are counted in each period, until a newer release takes its place"
        checked={watch !== null}
        onChange={(event) => change({ after_complete: event.currentTarget.checked ? USUAL_WATCH : null })}
      />
      {watch && (
        <div className={classes.fields}>
          <NativeSelect
            label="If it exceeds its limit"
            description="There is no control group any more, so an outage cannot be told from a fault of the version"
            data={ACTIONS}
            value={watch.action}
            onChange={(event) => set({ action: event.currentTarget.value === 'roll-back' ? 'roll-back' : 'alert' })}
          />
          <AmountField
            label="Limit of failures"
            description={limitWords(watch.failure_rate)}
            path="strategy.after_complete.failure_rate"
            faults={faults}
            value={watch.failure_rate}
            onChange={(value) => set({ failure_rate: value })}
          />
          <AmountField
            label="Period, s"
            description={`${watch.period_s === '' ? 'Default' : duration(watch.period_s)}: each device counts once in it`}
            path="strategy.after_complete.period_s"
            faults={faults}
            value={watch.period_s}
            onChange={(value) => set({ period_s: value })}
          />
          <AmountField
            label="Minimum samples in a period"
            description="Judged once so many devices have reported"
            path="strategy.after_complete.evidence"
            faults={faults}
            value={watch.evidence}
            onChange={(value) => set({ evidence: value })}
          />
        </div>
      )}
    </Panel>
  )
}

function limitWords(rate: number | ''): string {
  if (rate === '') return 'Empty: twice the failure rate of the stages'
  return `Exceeded when statistically more than ${percent(rate, 4)} of the devices fail in a period`
}
