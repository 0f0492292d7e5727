import { Link } from '@tanstack/react-router'
import type { ReleaseDetail, Stage } from '@/api/schemas'
import { Panel } from '@/components/Page'
import { RelativeTime } from '@/components/RelativeTime'
import { StatusMark } from '@/components/StatusMark'
import { end, NumberCell, Table } from '@/components/Table'
import { hasCallers } from '@/lib/audience'
import { count } from '@/lib/format'
import { stageName } from '@/lib/stageName'
import { duration } from '@/lib/time'
import { lateText, stepsOf, stageKey, type Step } from './releaseSteps'
import { deferredText } from './comparison'
import { CALLER_STATUSES, DEVICE_STATUSES, statusTitle, type DeviceStatus } from './releaseDevices'
import { readFigures, readStrategy, type StageStrategy } from './figures'
import { MARKS } from './progressMarks'

function columnsOf(kind: string) {
  return [
    'Stage',
    'State',
    ...statusesOf(kind).map((name) => end(name === 'installed' ? 'Installed so far' : statusTitle(name))),
    ...['Minimum samples', 'Soak time', ...(hasCallers(kind) ? [] : ['Pace'])].map(end),
    'Started',
  ]
}

function statusesOf(kind: string): readonly DeviceStatus[] {
  return hasCallers(kind) ? CALLER_STATUSES : DEVICE_STATUSES
}

/** The outcomes of the devices or callers of each stage, and the requirements of each stage. */
export function Stages({ release }: { release: ReleaseDetail }) {
  const figures = readFigures(release.figures)
  const { stages, treatment } = figures
  const statuses = statusesOf(release.kind)
  const deferred = deferredText(figures)
  const steps = stepsOf(release)
  const stagePlans = readStrategy(release.strategy).stages
  return (
    <Panel title="Stages">
      <Table
        label="Stages"
        columns={columnsOf(release.kind)}
        foot={
          <tr data-stage="all">
            <th scope="row">All</th>
            <td />
            {statuses.map((name) => (
              <NumberCell key={name} data-count={name}>
                <Devices release={release.id} became={name} number={treatment[name]} />
              </NumberCell>
            ))}
            <td colSpan={hasCallers(release.kind) ? 3 : 4} />
          </tr>
        }
      >
        {release.stages.map((stage) => {
          const counts = stages.get(stage.position)
          const plan = stagePlans[stage.position]
          return (
            <tr key={stage.position} data-stage={stage.position}>
              <th scope="row">{stageName(stage)}</th>
              <td>
                <StageMark stage={stage} steps={steps} late={counts?.failedLate ?? 0} />
              </td>
              {statuses.map((name) => (
                <NumberCell key={name} data-count={name}>
                  <Devices
                    release={release.id}
                    became={name}
                    stage={stage.position + 1}
                    number={counts ? counts[name] : stage.entered_at ? 0 : null}
                  />
                </NumberCell>
              ))}
              <NumberCell>{plan ? count(plan.evidence) : '–'}</NumberCell>
              <NumberCell>{plan ? duration(plan.dwellS) : '–'}</NumberCell>
              {!hasCallers(release.kind) && <NumberCell>{paceOf(plan)}</NumberCell>}
              <td>
                <RelativeTime at={stage.entered_at} empty="–" />
              </td>
            </tr>
          )
        })}
      </Table>
      {deferred !== null && <p className="note">{deferred}</p>}
    </Panel>
  )
}

function StageMark({ stage, steps, late }: { stage: Stage; steps: readonly Step[]; late: number }) {
  const step = steps.find(({ key }) => key === stageKey(stage))
  const { tone, word } = MARKS[step?.progress ?? 'ahead']
  return (
    <>
      <StatusMark tone={tone}>{word}</StatusMark>
      {late > 0 && (
        <span data-late={late}>
          {' '}
          <StatusMark tone="attention">{lateText(late)}</StatusMark>
        </span>
      )}
    </>
  )
}

function paceOf(plan: StageStrategy | undefined): string {
  if (!plan) return '–'
  return plan.pace === null ? 'any' : `${count(plan.pace)}/s`
}

type DevicesProps = { release: number; became: DeviceStatus; stage?: number; number: number | null }

/** A number of devices, with a link to them. */
function Devices({ release, became, stage, number }: DevicesProps) {
  if (number === null) return '–'
  if (number === 0) return count(0)
  const search = { became, ...(stage !== undefined && { stage: String(stage) }) }
  return (
    <Link to="/releases/$id/devices" params={{ id: String(release) }} search={search}>
      {count(number)}
    </Link>
  )
}
