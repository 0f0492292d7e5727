import { Button } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { answer, client } from '@/api/client'
import { keyOf } from '@/api/reading'
import type { ReleasePlan } from '@/api/schemas'
import { ErrorNote } from '@/components/ErrorNote'
import { LinesSkeleton } from '@/components/Skeletons'
import { doneToast, refusedToast } from '@/components/toasts'
import { TypedConfirm } from '@/components/TypedConfirm'
import { hasCallers } from '@/lib/audience'
import { countedDevices } from '@/lib/counted'
import { count } from '@/lib/format'
import type { ReleaseRequest } from '../draft'
import { sentence } from '../faults'
import { FaultText } from '../FaultText'
import { PlanView } from '../PlanView'
import { STEPS, stepTitle } from '../steps'
import { WarningList } from '../WarningList'
import type { StepProps } from '../Wizard'
import classes from './reviewStep.module.css'
import stepActions from '../stepActions.module.css'

/** The last step: the preview, and the confirmation. */
export function ReviewStep({ draft, evaluation, goTo, onMade }: StepProps & { onMade: () => void }) {
  const { plan, request, isOld } = evaluation
  const [isConfirming, setIsConfirming] = useState(false)
  const make = useMake(onMade)
  const isClosed = !plan || isOld || make.isPending
  const wrong = STEPS.flatMap((step) => evaluation.faults[step].map((fault) => ({ step, fault })))
  const begin = (start: boolean) => {
    if (request) make.mutate({ request, start })
  }
  return (
    <>
      {wrong.map(({ step, fault }) => (
        <div key={step + fault.path + fault.expected} className={classes.toMend}>
          <FaultText>
            {fault.path.includes('.') && <code>{fault.path}</code>} {sentence(fault)}
          </FaultText>
          <Button variant="default" size="compact-sm" onClick={() => goTo(step)}>
            Fix it in {stepTitle(step, draft.kind).toLowerCase()}
          </Button>
        </div>
      ))}
      {!plan && wrong.length === 0 && evaluation.problem === null && <LinesSkeleton lines={8} />}
      {wrong.length === 0 && <Warnings evaluation={evaluation} kind={draft.kind} goTo={goTo} />}
      {plan && wrong.length === 0 && <PlanView plan={plan} rule={evaluation.rule} app={draft.app} />}
      {make.error && <ErrorNote error={make.error} />}
      <div className={stepActions.row}>
        <Button variant="default" onClick={() => goTo('stages')}>
          Back
        </Button>
        <Button
          variant="default"
          disabled={isClosed || wrong.length > 0}
          loading={make.isPending && !make.variables.start}
          onClick={() => begin(false)}
        >
          Create draft
        </Button>
        <Button
          disabled={isClosed || wrong.length > 0}
          loading={make.isPending && make.variables.start}
          onClick={() => setIsConfirming(true)}
        >
          Create and start
        </Button>
        <span className="muted">A draft has no effect until it is started.</span>
      </div>
      {plan && (
        <TypedConfirm
          opened={isConfirming}
          title={`Start ${plan.task} ${plan.version}`}
          // Callers are not counted, so the version has to be typed instead.
          expected={hasCallers(plan.kind) ? plan.version : count(plan.matched.count)}
          what={hasCallers(plan.kind) ? 'the version' : 'the number of devices'}
          confirm="Create and start"
          busy={make.isPending}
          onClose={() => setIsConfirming(false)}
          onConfirm={() => {
            setIsConfirming(false)
            begin(true)
          }}
        >
          {`The release proceeds automatically until it has reached ${reached(plan)} of ${plan.app}. It can be paused or rolled back at any time.`}
        </TypedConfirm>
      )}
    </>
  )
}

/** All warnings, each with the step that causes it. */
function Warnings({
  evaluation: { warnings },
  kind,
  goTo,
}: Pick<StepProps, 'evaluation' | 'goTo'> & { kind: string | undefined }) {
  return STEPS.filter((step) => warnings[step].length > 0).map((step) => (
    <div key={step} className={classes.toMend}>
      <WarningList warnings={warnings[step]} />
      <Button variant="default" size="compact-sm" onClick={() => goTo(step)}>
        Go to {stepTitle(step, kind).toLowerCase()}
      </Button>
    </div>
  ))
}

function reached(plan: ReleasePlan): string {
  return hasCallers(plan.kind) ? 'all matching callers' : countedDevices(plan.matched)
}

/** Creates the release, starts it if requested, and shows it. */
function useMake(onMade: () => void) {
  const navigate = useNavigate()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: async ({ request, start }: { request: ReleaseRequest; start: boolean }) => {
      const made = await answer(client.POST('/api/v1/releases', { body: request }))
      if (!start) return { id: made.id, refusal: null }
      const params = { path: { release: made.id, action: 'start' as const } }
      const refusal = await answer(
        client.POST('/api/v1/releases/{release}/{action}', { params, body: { reason: '' } }),
      ).then(
        () => null,
        (error: unknown) => error,
      )
      return { id: made.id, refusal }
    },
    onSuccess: async ({ id, refusal }, { start }) => {
      onMade()
      if (refusal !== null) refusedToast(`Release ${id} was created, but not started`, refusal)
      else doneToast(start ? `Release ${id} was started.` : `Release ${id} was created as a draft.`)
      void queries.invalidateQueries({ queryKey: keyOf('/api/v1/releases') })
      await navigate({ to: '/releases/$id', params: { id: String(id) } })
    },
  })
}
