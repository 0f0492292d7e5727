import { Button } from '@mantine/core'
import { Panel } from '@/components/Page'
import { StatusMark } from '@/components/StatusMark'
import { useFilters } from '@/hooks/useFilters'
import { answerOf, dollars, problemOf, proofText, type Answer, type Placement } from './answer'
import { ApplyButton } from './ApplyButton'
import { BaselinesPanel } from './BaselinesPanel'
import { FrontierPanel } from './FrontierPanel'
import { PlacementStateMark } from './HistoryPanel'
import { chosen } from './planned'
import { PlansTable } from './PlansTable'
import { isUnderWay } from './progress'
import type { WorkflowSearch } from './search'
import { TierDrawing } from './TierDrawing'
import { useCancel, type NewPlacement } from './usePlacements'

type Props = { placement: Placement; mayNotPlace: string | null; onPlace: (body: NewPlacement) => void }

/** The state of a placement, and its plans once it has some. */
export function PlacementPanels({ placement, mayNotPlace, onPlace }: Props) {
  const answer = answerOf(placement)
  if (answer?.infeasible) return <Infeasible answer={answer} />
  const hasPlans = answer !== null && answer.plans.length > 0
  return (
    <>
      {isUnderWay(placement.state) && <Progress placement={placement} />}
      {ENDED_EARLY.includes(placement.state) && <EndedEarly placement={placement} hasPlans={hasPlans} />}
      {hasPlans && <Plans placement={placement} answer={answer} mayNotPlace={mayNotPlace} onPlace={onPlace} />}
    </>
  )
}

const ENDED_EARLY: readonly Placement['state'][] = ['failed', 'cancelled']

function EndedEarly({ placement, hasPlans }: { placement: Placement; hasPlans: boolean }) {
  return (
    <Panel title={`Placement #${placement.id}`} beside={<PlacementStateMark state={placement.state} />}>
      {placement.error ||
        (hasPlans ? 'It ended early: what it had found by then is below.' : 'It ended without a plan.')}
    </Panel>
  )
}

const PHASES: Record<string, string> = {
  profile: 'Measuring the models in a sandbox:',
  plans: 'Searching for plans, and for a proof that none is cheaper.',
  changes: 'No plan is feasible. Looking for the nearest changes that would make one possible.',
  baselines: 'Plans are found. Planning the baselines that they are compared with.',
  frontiers: 'Plans are found. Computing what other accuracies would cost.',
  rates: 'Plans are found. Computing what other rates would cost.',
}

type Told = { phase?: string; what?: string; seconds?: number; best?: number | null; bound?: number | null }

function Progress({ placement }: { placement: Placement }) {
  const cancel = useCancel(placement.id)
  const { phase, what, seconds, best, bound } = placement.progress as Told
  const doing = phase === undefined ? 'Waiting for a worker.' : (PHASES[phase] ?? phase)
  const words = what === undefined ? doing : `${doing} ${what}.`
  return (
    <Panel
      title={`Placement #${placement.id}`}
      beside={
        <Button variant="default" loading={cancel.isPending} onClick={() => cancel.mutate()}>
          Cancel
        </Button>
      }
    >
      <div role="status">
        <StatusMark tone="running">{words}</StatusMark>
        {best != null && (
          <p className="note">
            {`After ${(seconds ?? 0).toFixed(1)} s: the best plan costs ${dollars(best)} per hour${bound ? `, none less than ${dollars(bound)}` : ''}.`}
          </p>
        )}
      </div>
    </Panel>
  )
}

function Infeasible({ answer }: { answer: Answer }) {
  const { constraints = [], remedies = [], certain = true } = answer.infeasible ?? {}
  const blamed = constraints.length > 0 ? `In the way: ${constraints.join(', ')}.` : 'No single constraint is to blame.'
  return (
    <Panel title="No plan" beside={<PlacementStateMark state="infeasible" />}>
      <p>
        {certain ? 'No models and workers reach the target.' : 'No plan was found in the given time.'} {blamed}
      </p>
      {remedies.length > 0 && (
        <>
          <p>Any one of these changes makes a plan possible:</p>
          <ul>
            {remedies.map(({ text }) => (
              <li key={text}>{text}</li>
            ))}
          </ul>
        </>
      )}
    </Panel>
  )
}

function Plans({ placement, answer, mayNotPlace, onPlace }: Props & { answer: Answer }) {
  const [{ plan: named }, setSearch] = useFilters<WorkflowSearch>()
  const problem = problemOf(placement)
  const shown = chosen(answer, named)
  if (!shown) return null
  const show = (name: string | undefined) => setSearch({ plan: name })
  return (
    <>
      <Panel title={`Plans of placement #${placement.id}`} beside={<span className="note">{proofText(answer)}</span>}>
        <PlansTable
          answer={answer}
          operators={problem.workflow.operators.map(({ name }) => name)}
          shown={shown}
          onShow={show}
        />
        <TierDrawing problem={problem} plan={shown.plan} />
        {!isUnderWay(placement.state) && <ApplyButton placement={placement} shown={shown} />}
      </Panel>
      <BaselinesPanel answer={answer} shown={shown} onShow={show} />
      <FrontierPanel
        answer={answer}
        problem={problem}
        shown={shown}
        onShow={show}
        isUnderWay={isUnderWay(placement.state)}
        mayNotPlace={mayNotPlace}
        onPlace={onPlace}
      />
    </>
  )
}
