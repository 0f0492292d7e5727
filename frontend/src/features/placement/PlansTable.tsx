import { Button } from '@mantine/core'
import { end, NumberCell, Table, TextCell } from '@/components/Table'
import { percent } from '@/lib/format'
import { busiest, dollars, type Answer, type Plan } from './answer'
import { nameOf, titleOf, type Choice } from './planned'

const COLUMNS = [
  'Plan',
  ...['Per hour', 'Compute', 'Network', 'Accuracy', 'Items/s'].map(end),
  'Busiest worker',
  'Models',
] as const

type Props = { answer: Answer; operators: readonly string[]; shown: Choice; onShow: (name: string | undefined) => void }

/** The best plans beside each other, and the one of a frontier that is shown. */
export function PlansTable({ answer, operators, shown, onShow }: Props) {
  return (
    <Table label="Plans" columns={COLUMNS} minWidth={860}>
      {answer.plans.map((plan, index) => (
        <Row
          key={index}
          name={titleOf({ kind: 'plan', index, plan })}
          plan={plan}
          operators={operators}
          isShown={shown.kind === 'plan' && shown.index === index}
          onShow={() => onShow(nameOf('plan', index))}
        />
      ))}
      {shown.kind !== 'plan' && (
        <Row
          name={titleOf(shown)}
          plan={shown.plan}
          operators={operators}
          isShown
          onShow={() => onShow(nameOf(shown.kind, shown.index))}
        />
      )}
    </Table>
  )
}

type RowProps = { name: string; plan: Plan; operators: readonly string[]; isShown: boolean; onShow: () => void }

function Row({ name, plan, operators, isShown, onShow }: RowProps) {
  const most = busiest(plan)
  return (
    <tr aria-current={isShown ? 'true' : undefined} data-plan={name}>
      <th scope="row">
        <Button size="compact-sm" variant={isShown ? 'light' : 'subtle'} onClick={onShow} aria-pressed={isShown}>
          {name}
        </Button>
      </th>
      <NumberCell>{dollars(plan.cost)}</NumberCell>
      <NumberCell>{dollars(plan.compute)}</NumberCell>
      <NumberCell>{dollars(plan.network)}</NumberCell>
      <NumberCell>{plan.accuracy === null ? '–' : plan.accuracy.toFixed(2)}</NumberCell>
      <NumberCell>{plan.throughput === null ? '–' : plan.throughput.toFixed(1)}</NumberCell>
      <TextCell>{most ? `${most.id}, ${percent(most.share, 0)}` : '–'}</TextCell>
      <TextCell>{operators.map((each) => `${each}: ${plan.plan.models[each] ?? '–'}`).join(', ')}</TextCell>
    </tr>
  )
}
