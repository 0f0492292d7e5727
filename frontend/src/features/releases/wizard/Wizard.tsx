import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useMemo, useRef } from 'react'
import { ErrorNote } from '@/components/ErrorNote'
import { LinesSkeleton } from '@/components/Skeletons'
import { reading } from '@/api/reading'
import { taskPath } from '@/lib/taskName'
import type { Operator } from '@/lib/vocabulary'
import { firstRule, type Draft, type ShownDraft } from './draft'
import { sentence } from './faults'
import { stepTitle, stepAfter, stepBefore, type Step } from './steps'
import { DevicesStep } from './steps/DevicesStep'
import { StagesStep } from './steps/StagesStep'
import { VersionStep } from './steps/VersionStep'
import { StepsNav } from './StepsNav'
import { useDraftEvaluation, type DraftEvaluation } from './useDraftEvaluation'
import stepActions from './stepActions.module.css'
import classes from './wizard.module.css'

const ReviewStep = lazy(() => import('./steps/ReviewStep').then((found) => ({ default: found.ReviewStep })))
const route = getRouteApi('/releases/new')

export type StepProps = {
  draft: ShownDraft
  operators: readonly Operator[]
  change: (some: Partial<Draft>) => void
  evaluation: DraftEvaluation
  goTo: (step: Step) => void
}

type Props = Pick<StepProps, 'operators' | 'change'> & { draft: Draft; onMade: () => void }

/** The steps to a release: each can be visited at any time, without losing input. */
export function Wizard({ draft: stored, operators, change, onMade }: Props) {
  const { step = 'version' } = route.useSearch()
  const navigate = useNavigate()
  const draft = useShownDraft(stored, operators)
  const evaluation = useDraftEvaluation(draft)
  const title = useRef<HTMLHeadingElement>(null)
  const shown = useRef(step)
  useEffect(() => {
    // Moves the focus to the new step for people with keyboards.
    if (shown.current !== step) title.current?.focus()
    shown.current = step
  }, [step])
  const goTo = (next: Step) => {
    void navigate({ to: '/releases/new', search: (before) => ({ ...before, step: next }) })
  }
  const props = { draft, operators, change, evaluation, goTo }
  return (
    <div className={classes.wizard}>
      <StepsNav step={step} draft={draft} evaluation={evaluation} goTo={goTo} />
      <div className={classes.step}>
        <h2 ref={title} tabIndex={-1}>
          {stepTitle(step, draft.kind)}
        </h2>
        {evaluation.problem !== null && <ErrorNote error={evaluation.problem} retry={evaluation.retry} />}
        {step === 'version' && <VersionStep {...props} />}
        {step === 'devices' && <DevicesStep {...props} />}
        {step === 'stages' && <StagesStep {...props} />}
        {step === 'review' ? (
          <Suspense fallback={<LinesSkeleton lines={8} />}>
            <ReviewStep {...props} onMade={onMade} />
          </Suspense>
        ) : (
          <Onward step={step} {...props} />
        )}
      </div>
    </div>
  )
}

/** Completes a draft by the kind of its task, and by the rule that goes with it until another one is chosen. */
function useShownDraft(draft: Draft, operators: readonly Operator[]): ShownDraft {
  const { task, version } = draft
  const path = { ...taskPath(task), version }
  const found = useQuery({
    ...reading('/api/v1/tasks/{scenario}/{task}/versions/{version}', { path }),
    enabled: task !== '' && version !== '',
  })
  const kind = found.data?.kind
  const first = useMemo(() => firstRule(kind, operators), [kind, operators])
  return useMemo(() => ({ ...draft, rule: draft.rule ?? first, kind }), [draft, first, kind])
}

/** A button to the next step, or what prevents it. */
function Onward({ step, draft, evaluation, goTo }: StepProps & { step: Step }) {
  const [before, after] = [stepBefore(step), stepAfter(step)]
  const fault = evaluation.faults[step][0]
  return (
    <div className={stepActions.row}>
      {before && (
        <Button variant="default" onClick={() => goTo(before)}>
          Back
        </Button>
      )}
      {after && (
        <Button disabled={fault !== undefined} onClick={() => goTo(after)}>
          Continue to {stepTitle(after, draft.kind).toLowerCase()}
        </Button>
      )}
      <span className="muted" aria-live="polite">
        {fault && sentence(fault)}
      </span>
    </div>
  )
}
