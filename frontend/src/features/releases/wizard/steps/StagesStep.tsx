import { Button } from '@mantine/core'
import type { ReleasePlan } from '@/api/schemas'
import { Panel } from '@/components/Page'
import { LinesSkeleton } from '@/components/Skeletons'
import { audienceWords, hasCallers } from '@/lib/audience'
import { countedDevices } from '@/lib/counted'
import { sentence } from '../faults'
import { FaultText } from '../FaultText'
import { lasts } from '../lasts'
import { Missing } from '../Missing'
import { AFTER_COMPLETE, AfterCompleteFields } from '../stages/AfterCompleteFields'
import { CONDITIONS, ConditionFields } from '../stages/ConditionFields'
import { LimitFields } from '../stages/LimitFields'
import { StageRows } from '../stages/StageRows'
import { atOnce, type StrategyForm } from '../strategy'
import { WarningList } from '../WarningList'
import { warningsElsewhere } from '../warnings'
import type { StepProps } from '../Wizard'
import classes from './stagesStep.module.css'

/** Where warnings have a place of their own. */
const PLACED = ['strategy.stages', ...CONDITIONS, AFTER_COMPLETE]

/** The step for the stages and limits of the release. */
export function StagesStep({ draft, change, evaluation, goTo }: StepProps) {
  const form = evaluation.strategy
  if (!draft.app || !draft.version) return <Missing what="version" step="version" goTo={goTo} />
  // If it refuses the version, the server proposes nothing.
  if (!form && evaluation.faults.version.length > 0) return <Missing what="version" step="version" goTo={goTo} />
  if (!form) return evaluation.problem === null ? <LinesSkeleton lines={8} /> : null
  const set = (some: Partial<StrategyForm>) => change({ strategy: { ...form, ...some } })
  const faults = evaluation.faults.stages
  const warnings = evaluation.warnings.stages
  const general = faults.filter(({ path }) => path === 'strategy' || path === 'strategy.stages')
  const { plan } = evaluation
  const { many } = audienceWords(draft.kind)
  return (
    <>
      <Panel
        title="Stages"
        level={3}
        beside={
          <StagesHead
            plan={plan}
            isFaulty={faults.length > 0}
            isProposed={draft.strategy === null}
            form={form}
            change={change}
          />
        }
      >
        <p className="muted">
          A beta stage goes to an id list or to a small share of the {many}. A gray stage is a canary stage: it goes to
          a share of the {many}, which grows from stage to stage.
          {hasCallers(draft.kind) &&
            ' Callers install nothing, so there is no pace: the next stage answers all of them.'}
        </p>
        <WarningList warnings={warningsElsewhere(warnings, PLACED)} />
        {general.map((fault) => (
          <FaultText key={fault.expected}>{sentence(fault)}</FaultText>
        ))}
        <StageRows
          app={draft.app}
          kind={draft.kind}
          stages={form.stages}
          planned={plan?.stages ?? []}
          isOld={evaluation.isOld}
          faults={faults}
          warnings={warnings}
          change={(stages) => set({ stages })}
        />
        {!plan && faults.length === 0 && evaluation.faults.devices.length > 0 && (
          <div>
            <Button variant="default" size="compact-sm" onClick={() => goTo('devices')}>
              Go to {many}
            </Button>
          </div>
        )}
      </Panel>
      <ConditionFields form={form} faults={faults} warnings={warnings} change={set} />
      <LimitFields form={form} faults={faults} change={set} />
      <AfterCompleteFields form={form} faults={faults} warnings={warnings} change={set} />
    </>
  )
}

type HeadProps = {
  plan: ReleasePlan | undefined
  isFaulty: boolean
  /** Whether the stages are the server's proposal, which follows the rule. */
  isProposed: boolean
  form: StrategyForm
  change: StepProps['change']
}

/** The summary of the stages, and buttons to start over. */
function StagesHead({ plan, isFaulty, isProposed, form, change }: HeadProps) {
  const uncounted = isFaulty
    ? 'The stages are computed again once this is fixed.'
    : 'The stages are computed once there is a rule.'
  const fits = isProposed ? 'Proposed for the' : 'Your own stages for the'
  const matching =
    plan && !hasCallers(plan.kind) ? `${fits} ${countedDevices(plan.matched)} that match; takes` : 'Takes'
  const rate = plan && plan.about_s !== null ? ' at the present rate of check-ins' : ''
  return (
    <>
      <span className="muted" aria-live="polite">
        {plan ? `${matching} ${lasts(plan)}${rate}` : uncounted}
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
