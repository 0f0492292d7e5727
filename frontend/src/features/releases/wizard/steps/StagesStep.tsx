import { Button } from '@mantine/core'
import type { ReleasePlan } from '@/api/schemas'
import { Panel } from '@/components/Page'
import { LinesSkeleton } from '@/components/Skeletons'
import { countedDevices } from '@/lib/counted'
import { duration } from '@/lib/time'
import { sentence } from '../faults'
import { FaultText } from '../FaultText'
import { Missing } from '../Missing'
import { ConditionFields } from '../stages/ConditionFields'
import { LimitFields } from '../stages/LimitFields'
import { StageRows } from '../stages/StageRows'
import { atOnce, type StrategyForm } from '../strategy'
import type { StepProps } from '../Wizard'
import classes from './stagesStep.module.css'

/** The step for the stages and limits of the release. */
export function StagesStep({ draft, change, evaluation, goTo }: StepProps) {
  const form = evaluation.strategy
  if (!draft.app || !draft.version) return <Missing what="version" step="version" goTo={goTo} />
  // If it refuses the version, the server proposes nothing.
  if (!form && evaluation.faults.version.length > 0) return <Missing what="version" step="version" goTo={goTo} />
  if (!form) return evaluation.problem === null ? <LinesSkeleton lines={8} /> : null
  const set = (some: Partial<StrategyForm>) => change({ strategy: { ...form, ...some } })
  const faults = evaluation.faults.stages
  const general = faults.filter(({ path }) => path === 'strategy' || path === 'strategy.stages')
  const { plan } = evaluation
  return (
    <>
      <Panel
        title="Stages"
        level={3}
        beside={<StagesHead plan={plan} isFaulty={faults.length > 0} form={form} change={change} />}
      >
        <p className="muted">
          A beta stage goes to an id list or to a small share of the devices. A gray stage is a canary stage: it goes to
          a share of the devices, which grows from stage to stage.
        </p>
        {general.map((fault) => (
          <FaultText key={fault.expected}>{sentence(fault)}</FaultText>
        ))}
        <StageRows
          app={draft.app}
          stages={form.stages}
          planned={plan?.stages ?? []}
          isOld={evaluation.isOld}
          faults={faults}
          change={(stages) => set({ stages })}
        />
        {!plan && faults.length === 0 && evaluation.faults.devices.length > 0 && (
          <div>
            <Button variant="default" size="compact-sm" onClick={() => goTo('devices')}>
              Go to devices
            </Button>
          </div>
        )}
      </Panel>
      <ConditionFields form={form} faults={faults} change={set} />
      <LimitFields form={form} faults={faults} change={set} />
    </>
  )
}

type HeadProps = {
  plan: ReleasePlan | undefined
  isFaulty: boolean
  form: StrategyForm
  change: StepProps['change']
}

/** The summary of the stages, and buttons to start over. */
function StagesHead({ plan, isFaulty, form, change }: HeadProps) {
  const uncounted = isFaulty
    ? 'Devices are counted again once this is fixed.'
    : 'Devices are counted once there is a rule.'
  return (
    <>
      <span className="muted" aria-live="polite">
        {plan ? `${countedDevices(plan.matched)} match; takes at least ${duration(plan.at_least_s)}` : uncounted}
      </span>
      <span className={classes.right}>
        <Button variant="default" size="compact-sm" onClick={() => change({ strategy: null })}>
          Reset to default
        </Button>
        <Button variant="default" size="compact-sm" onClick={() => change({ strategy: atOnce(form) })}>
          All at once
        </Button>
      </span>
    </>
  )
}
