import { Button } from '@mantine/core'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { ErrorNote } from '@/components/ErrorNote'
import type { Operator } from '@/lib/vocabulary'
import type { Draft } from './draft'
import { sentence } from './faults'
import { STEP_TITLES, stepAfter, stepBefore, type Step } from './steps'
import { DevicesStep } from './steps/DevicesStep'
import { ReviewStep } from './steps/ReviewStep'
import { StagesStep } from './steps/StagesStep'
import { VersionStep } from './steps/VersionStep'
import { StepsNav } from './StepsNav'
import { useDraftEvaluation, type DraftEvaluation } from './useDraftEvaluation'
import stepActions from './stepActions.module.css'
import classes from './wizard.module.css'

const route = getRouteApi('/releases/new')

export type StepProps = {
  draft: Draft
  operators: readonly Operator[]
  change: (some: Partial<Draft>) => void
  evaluation: DraftEvaluation
  goTo: (step: Step) => void
}

type Props = Pick<StepProps, 'draft' | 'operators' | 'change'> & { onMade: () => void }

/** The steps to a release: each can be visited at any time, without losing input. */
export function Wizard({ draft, operators, change, onMade }: Props) {
  const { step = 'version' } = route.useSearch()
  const navigate = useNavigate()
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
          {STEP_TITLES[step]}
        </h2>
        {evaluation.problem !== null && <ErrorNote error={evaluation.problem} retry={evaluation.retry} />}
        {step === 'version' && <VersionStep {...props} />}
        {step === 'devices' && <DevicesStep {...props} />}
        {step === 'stages' && <StagesStep {...props} />}
        {step === 'review' ? <ReviewStep {...props} onMade={onMade} /> : <Onward step={step} {...props} />}
      </div>
    </div>
  )
}

/** A button to the next step, or what prevents it. */
function Onward({ step, evaluation, goTo }: StepProps & { step: Step }) {
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
          Continue to {STEP_TITLES[after].toLowerCase()}
        </Button>
      )}
      <span className="muted" aria-live="polite">
        {fault && sentence(fault)}
      </span>
    </div>
  )
}
