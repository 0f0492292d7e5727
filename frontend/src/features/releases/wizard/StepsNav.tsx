import { StatusMark } from '@/components/StatusMark'
import { hasCallers } from '@/lib/audience'
import { countedDevices } from '@/lib/counted'
import { plural } from '@/lib/format'
import type { ShownDraft } from './draft'
import { lasts } from './lasts'
import { STEPS, stepTitle, type Step } from './steps'
import type { DraftEvaluation } from './useDraftEvaluation'
import classes from './stepsNav.module.css'

type Props = { step: Step; draft: ShownDraft; evaluation: DraftEvaluation; goTo: (step: Step) => void }

/** The steps of the wizard, the present one, and a summary of each. */
export function StepsNav({ step, draft, evaluation, goTo }: Props) {
  return (
    <nav aria-label="Steps">
      <ol className={classes.steps}>
        {STEPS.map((each, at) => (
          <li key={each}>
            <button
              type="button"
              className={classes.stepButton}
              aria-current={each === step ? 'step' : undefined}
              onClick={() => goTo(each)}
            >
              <strong>
                {at + 1} {stepTitle(each, draft.kind)}
              </strong>
              <span className={classes.below}>
                <Summary step={each} draft={draft} evaluation={evaluation} />
                <WarningMark count={evaluation.warnings[each].length} />
              </span>
            </button>
          </li>
        ))}
      </ol>
    </nav>
  )
}

function Summary({ step, draft, evaluation }: Omit<Props, 'goTo'>) {
  if (evaluation.faults[step].length > 0 && isTouched(step, draft)) {
    return <StatusMark tone="attention">incomplete</StatusMark>
  }
  const { preview, plan, strategy } = evaluation
  if (step === 'version' && draft.version) {
    return <span className={classes.summary}>{`${draft.task} ${draft.version} to ${draft.app}`}</span>
  }
  if (step === 'devices' && hasCallers(draft.kind)) {
    return <span className={classes.summary}>{evaluation.rule ? 'by rule' : '–'}</span>
  }
  if (step === 'devices' && preview) return <span className={classes.summary}>{countedDevices(preview)}</span>
  if (step === 'stages' && strategy) {
    const takes = plan ? `, ${lasts(plan)}` : ''
    return <span className={classes.summary}>{`${plural(strategy.stages.length, 'stage')}${takes}`}</span>
  }
  if (step === 'review' && plan) return <StatusMark tone="ok">ready</StatusMark>
  return <span className={classes.summary}>–</span>
}

/** Says that a step has warnings. */
function WarningMark({ count }: { count: number }) {
  if (count === 0) return null
  return (
    <span className={classes.warnings}>
      <StatusMark tone="attention">{plural(count, 'warning')}</StatusMark>
    </span>
  )
}

/** Returns whether a step was started; errors of others are not shown. */
function isTouched(step: Step, draft: ShownDraft): boolean {
  if (step === 'version') return draft.version !== ''
  return step !== 'devices' || draft.version !== ''
}
