import { Button } from '@mantine/core'
import { Panel } from '@/components/Page'
import { end, NumberCell, Table, TextCell } from '@/components/Table'
import { percent } from '@/lib/format'
import { busiest, cheapestBaseline, dollars, savedOf, savedText, type Answer, type Baseline } from './answer'
import { nameOf, type Choice } from './planned'
import classes from './placement.module.css'

const COLUMNS = [
  'Baseline',
  ...['Per hour', 'The best plan', 'Compute', 'Network', 'Accuracy'].map(end),
  'Busiest worker',
] as const

type Props = { answer: Answer; shown: Choice; onShow: (name: string | undefined) => void }

/** What others would have planned, and which part of that the best plan saves. */
export function BaselinesPanel({ answer, shown, onShow }: Props) {
  const { baselines = [] } = answer
  if (baselines.length === 0) return null
  const cheapest = cheapestBaseline(answer)
  const saved = cheapest && savedOf(answer, cheapest)
  const words =
    saved !== null && `The best plan ${savedText(saved)} against the cheapest of their plans: ${cheapest?.name}.`
  return (
    <Panel title="Compared with baselines" beside={words && <strong>{words}</strong>}>
      <Table label="Baselines" columns={COLUMNS} minWidth={760}>
        {baselines.map((baseline, index) => (
          <Row
            key={baseline.name}
            baseline={baseline}
            saved={savedOf(answer, baseline)}
            isShown={shown.kind === 'baseline' && shown.index === index}
            onShow={() => onShow(nameOf('baseline', index))}
          />
        ))}
      </Table>
      <p className="note">
        PTe, PTc and SPC are no plans of this problem: they pay for workers of the strongest type by use, at the sources
        or in the cloud.
      </p>
    </Panel>
  )
}

type RowProps = { baseline: Baseline; saved: number | null; isShown: boolean; onShow: () => void }

function Row({ baseline, saved, isShown, onShow }: RowProps) {
  const { name, cost, compute, network, accuracy, best } = baseline
  const most = best && busiest(best)
  return (
    <tr aria-current={isShown ? 'true' : undefined} data-baseline={name}>
      <th scope="row">
        {best ? (
          <Button size="compact-sm" variant={isShown ? 'light' : 'subtle'} onClick={onShow} aria-pressed={isShown}>
            {name}
          </Button>
        ) : (
          <span className={classes.noButton}>{name}</span>
        )}
      </th>
      <NumberCell>{cost === null ? 'no plan' : dollars(cost)}</NumberCell>
      <NumberCell>{saved === null ? '–' : savedText(saved)}</NumberCell>
      <NumberCell>{compute === null ? '–' : dollars(compute)}</NumberCell>
      <NumberCell>{network === null ? '–' : dollars(network)}</NumberCell>
      <NumberCell>{accuracy === null ? '–' : accuracy.toFixed(2)}</NumberCell>
      <TextCell>{most ? `${most.id}, ${percent(most.share, 0)}` : '–'}</TextCell>
    </tr>
  )
}
