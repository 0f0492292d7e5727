import { ActionIcon, Button, NativeSelect, NumberInput, Tooltip } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Plus, Trash2 } from 'lucide-react'
import { useRef } from 'react'
import { reading } from '@/api/reading'
import { end, NumberCell, Table, TextCell } from '@/components/Table'
import { audienceWords, hasCallers } from '@/lib/audience'
import { withChosen } from '@/lib/choices'
import { counted } from '@/lib/counted'
import { duration } from '@/lib/time'
import { STAGE_KINDS, stageKindNamed, stageKinds } from '@/lib/stageKinds'
import { faultsAt, sentence, type Fault } from '../faults'
import { FaultText } from '../FaultText'
import { lasts } from '../lasts'
import type { PlannedStage } from '../queries'
import { WarningList } from '../WarningList'
import { warningsAt, type PlanWarning } from '../warnings'
import { changedStage, withoutStage, withStage, type StageForm } from '../strategy'
import { amountOf } from './AmountField'
import classes from './stageRows.module.css'

type Props = {
  app: string
  kind: string | undefined
  stages: StageForm[]
  planned: readonly PlannedStage[]
  /** Whether the preview is older than the last change. */
  isOld: boolean
  faults: readonly Fault[]
  warnings: readonly PlanWarning[]
  change: (stages: StageForm[]) => void
}

const MOST_LISTS = 200
const SHARE = ''

/** What the table has columns for: callers are not counted, and have a pace only where one has to be taken away. */
type Shows = { pace: boolean; counts: boolean }

function columnsOf(kind: string | undefined, shows: Shows) {
  return [
    ...['Stage', audienceWords(kind).Many, 'Share, %', 'Soak time, s', 'Minimum samples'],
    ...(shows.pace ? ['Pace, offers/s'] : []),
    ...[...(shows.counts ? ['Reaches', 'Added'] : []), 'Takes'].map(end),
    { title: <span className="visually-hidden">Remove</span> },
  ]
}

/** The stages, each with the devices that it reaches. */
export function StageRows({ app, kind, stages, planned, isOld, faults, warnings, change }: Props) {
  const lists = useQuery(reading('/api/v1/apps/{app}/lists', { path: { app }, query: { limit: MOST_LISTS } }))
  const names = lists.data?.results.map(({ name }) => name) ?? []
  const counts = !hasCallers(kind)
  const shows = { counts, pace: counts || stages.some(({ pace }) => pace !== '') }
  const columns = columnsOf(kind, shows)
  const adding = useRef<HTMLButtonElement>(null)
  const remove = (key: number) => {
    change(withoutStage(stages, key))
    // The button disappears with its stage.
    adding.current?.focus()
  }
  return (
    <>
      <Table label="Table of stages" columns={columns} minWidth={900}>
        {stages.map((stage, at) => (
          <StageRow
            key={stage.key}
            stage={stage}
            at={at}
            kind={kind}
            shows={shows}
            span={columns.length}
            names={names}
            isOld={isOld}
            planned={planned.length === stages.length ? planned[at] : undefined}
            faults={faultsAt(faults, `strategy.stages[${at}]`)}
            warnings={warningsAt(warnings, `strategy.stages[${at}]`)}
            set={(some) => change(changedStage(stages, stage.key, some))}
            remove={stages.length > 1 ? () => remove(stage.key) : undefined}
          />
        ))}
      </Table>
      <div>
        <Button
          ref={adding}
          variant="default"
          size="compact-sm"
          leftSection={<Plus size={14} aria-hidden="true" />}
          onClick={() => change(withStage(stages))}
        >
          Add a stage
        </Button>
      </div>
    </>
  )
}

type RowProps = {
  stage: StageForm
  at: number
  kind: string | undefined
  shows: Shows
  /** How many columns the table has. */
  span: number
  names: string[]
  planned: PlannedStage | undefined
  isOld: boolean
  faults: readonly Fault[]
  warnings: readonly PlanWarning[]
  set: (some: Partial<StageForm>) => void
  remove: (() => void) | undefined
}

function StageRow({ stage, at, kind, shows, span, names, planned, isOld, faults, warnings, set, remove }: RowProps) {
  const place = `strategy.stages[${at}]`
  const faultId = `stage-${stage.key}-fault`
  const field = (name: 'percent' | 'dwell_s' | 'evidence' | 'pace', label: string) => {
    const isWrong = faultsAt(faults, `${place}.${name}`).length > 0
    return (
      <NumberInput
        aria-label={`Stage ${at + 1}: ${label}`}
        aria-describedby={isWrong ? faultId : undefined}
        hideControls
        placeholder={name === 'pace' ? 'any' : 'default'}
        value={stage[name]}
        error={isWrong}
        onChange={(typed) => set({ [name]: amountOf(typed) })}
      />
    )
  }
  return (
    <>
      <tr className={classes.stage} data-old={isOld}>
        <th scope="row">
          <NativeSelect
            aria-label={`Stage ${at + 1}: kind`}
            data={stageKinds}
            value={stage.kind}
            error={faultsAt(faults, `${place}.kind`).length > 0}
            onChange={(event) => {
              const kind = stageKindNamed(event.currentTarget.value)
              set({ kind, list: STAGE_KINDS[kind].takesList ? stage.list : null })
            }}
          />
        </th>
        <td>
          {STAGE_KINDS[stage.kind].takesList ? (
            <NativeSelect
              aria-label={`Stage ${at + 1}: ${audienceWords(kind).many}`}
              data={[{ value: SHARE, label: 'a share' }, ...withChosen(names, stage.list)]}
              value={stage.list ?? SHARE}
              onChange={(event) => set({ list: event.currentTarget.value || null })}
            />
          ) : (
            'a share'
          )}
        </td>
        <td>{stage.list === null ? field('percent', 'share in percent') : '–'}</td>
        <td>
          <Tooltip label={stage.dwell_s === '' ? 'Default' : duration(stage.dwell_s)}>
            <div>{field('dwell_s', 'soak time in seconds')}</div>
          </Tooltip>
        </td>
        <td>{field('evidence', 'minimum samples')}</td>
        {shows.pace && <td>{field('pace', 'offers per second')}</td>}
        {shows.counts && <NumberCell>{planned ? counted(planned.reaches) : '–'}</NumberCell>}
        {shows.counts && <NumberCell>{planned ? counted(planned.adds) : '–'}</NumberCell>}
        <NumberCell>{planned ? lasts(planned) : '–'}</NumberCell>
        <td>
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={`Remove stage ${at + 1}`}
            disabled={!remove}
            onClick={remove}
          >
            <Trash2 size={14} aria-hidden="true" />
          </ActionIcon>
        </td>
      </tr>
      {faults.length + warnings.length > 0 && (
        <tr>
          <TextCell colSpan={span}>
            <WarningList warnings={warnings} />
            <div id={faultId}>
              {faults.map((fault) => (
                <FaultText key={fault.path + fault.expected}>{`Stage ${at + 1}: ${sentence(fault)}`}</FaultText>
              ))}
            </div>
          </TextCell>
        </tr>
      )}
    </>
  )
}
