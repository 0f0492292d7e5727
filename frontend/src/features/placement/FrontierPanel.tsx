import { Slider } from '@mantine/core'
import { Curve } from '@/components/Curve'
import { GuardedButton } from '@/components/GuardedButton'
import { Panel, PanelRow } from '@/components/Page'
import { percent } from '@/lib/format'
import { dollars, type Answer, type FrontierPoint, type Problem } from './answer'
import { nameOf, pointOfTarget, pointsOf, type Choice } from './planned'
import type { NewPlacement } from './usePlacements'
import classes from './placement.module.css'

type Props = {
  answer: Answer
  problem: Problem
  shown: Choice
  onShow: (name: string | undefined) => void
  /** Whether points may still come. */
  isUnderWay: boolean
  mayNotPlace: string | null
  onPlace: (body: NewPlacement) => void
}

/** What other accuracies and rates cost: sliders that move along the frontiers, and show the plan of each point. */
export function FrontierPanel(props: Props) {
  return (
    <PanelRow>
      <Frontier {...props} kind="accuracy" title="What accuracy costs" />
      <Frontier {...props} kind="rate" title="What rates cost" />
    </PanelRow>
  )
}

type FrontierProps = Props & { kind: 'accuracy' | 'rate'; title: string }

function Frontier(props: FrontierProps) {
  const { kind, title, answer, problem, shown, onShow, isUnderWay, mayNotPlace, onPlace } = props
  const points = pointsOf(answer, kind)
  const index = shown.kind === kind ? shown.index : pointOfTarget(points, kind, problem.target.accuracy)
  const point = points[index]
  if (!point) {
    return (
      <Panel title={title}>
        <p className="note">
          {isUnderWay ? 'It is computed once the plans are there.' : 'No point of it was found in the given time.'}
        </p>
      </Panel>
    )
  }
  const words =
    kind === 'accuracy' ? `accuracy ${point.accuracy.toFixed(2)}` : `${percent(point.factor, 0)} of the rates`
  return (
    <Panel title={title} beside={<span className="note">{`${words}: ${dollars(point.best.cost)} per hour`}</span>}>
      <Curve
        label={`${title}: USD per hour`}
        points={points.map((each) => ({
          x: kind === 'accuracy' ? each.accuracy : each.factor,
          y: each.best.cost,
          isMarked: each.changed,
        }))}
        current={index}
        steps={kind === 'accuracy'}
        format={(cost) => (cost === 0 ? '$0' : dollars(cost))}
      />
      <Slider
        thumbLabel={title}
        min={0}
        max={Math.max(1, points.length - 1)}
        step={1}
        value={index}
        disabled={points.length < 2}
        label={null}
        onChange={(to) => onShow(nameOf(kind, to))}
      />
      <div className={classes.actions}>
        <span className="note">Each point’s plan is shown above, to be applied.</span>
        <GuardedButton
          missing={mayNotPlace}
          variant="default"
          size="compact-sm"
          onClick={() => onPlace({ budget_s: 10, target: targetOf(problem, point, kind) })}
        >
          Place for this target
        </GuardedButton>
      </div>
    </Panel>
  )
}

function targetOf(problem: Problem, point: FrontierPoint, kind: 'accuracy' | 'rate'): Problem['target'] {
  if (kind === 'accuracy') return { accuracy: point.accuracy, rates: problem.target.rates }
  const rates = Object.entries(problem.target.rates).map(([source, rate]) => [source, rate * point.factor] as const)
  return { accuracy: problem.target.accuracy, rates: Object.fromEntries(rates) }
}
