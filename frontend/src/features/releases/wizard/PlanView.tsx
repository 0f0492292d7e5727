import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { ReleasePlan } from '@/api/schemas'
import { CopyText } from '@/components/CopyText'
import { Fact, Facts } from '@/components/Facts'
import { ReleaseLink } from '@/components/links'
import { Panel } from '@/components/Page'
import { audienceWords, hasCallers } from '@/lib/audience'
import { counted, countedDevices } from '@/lib/counted'
import { capitalized, count, percent, plural } from '@/lib/format'
import { ruleSentence } from '@/lib/ruleSentence'
import { devicesMatching, pretty } from '@/lib/ruleText'
import { stageName } from '@/lib/stageName'
import type { JsonObject } from '@/lib/json'
import { alreadyInstalled } from './alreadyInstalled'
import { lasts, lastsSentence } from './lasts'
import { LIMIT_LABELS, limitMeaning } from './limits'
import type { PlannedStage } from './queries'
import { formOf, LIMITS } from './strategy'
import classes from './planView.module.css'

/** The preview of a release, step by step. */
export function PlanView({ plan, rule, app }: { plan: ReleasePlan; rule: JsonObject | null; app: string }) {
  const isOfCallers = hasCallers(plan.kind)
  return (
    <>
      <p className={classes.lead}>
        <strong>
          {plan.task} {plan.version}
        </strong>{' '}
        to {isOfCallers ? `callers of ${plan.app}, who are counted when they call.` : `${plan.app}: `}
        {!isOfCallers && (
          <>
            <strong>{countedDevices(plan.matched)}</strong> of {count(plan.total)} match. {alreadyInstalled(plan)}
          </>
        )}{' '}
        {lastsSentence(plan)}{' '}
        {rule && !isOfCallers && (
          <Link to="/devices" search={devicesMatching(app, rule)}>
            Show these devices
          </Link>
        )}
      </p>
      {rule && <p data-rule-sentence>{ruleSentence(rule, plan.kind)}</p>}
      <WhatHappens plan={plan} />
      <IfWrong plan={plan} />
      <details>
        <summary>Rule and strategy as they will be stored</summary>
        <p className="muted">As a file for `walle release create --file`.</p>
        <CopyText block text={pretty(asFile(plan))} label="release as JSON" />
      </details>
    </>
  )
}

function WhatHappens({ plan }: { plan: ReleasePlan }) {
  const { window } = formOf(plan.strategy)
  return (
    <Panel title="What will happen" level={3}>
      <ol className={classes.course}>
        <Simulation plan={plan} />
        {plan.approval && <Step title="Approval">The release waits until somebody other than you approves it.</Step>}
        {plan.stages.map((stage) => (
          <StageStep key={stage.position} stage={stage} stages={plan.stages.length} kind={plan.kind} />
        ))}
        <Step title="Complete">
          {hasCallers(plan.kind)
            ? 'Every matching caller is answered by it.'
            : 'Every matching device receives it, including devices that check in for the first time later.'}{' '}
          {ended(plan, 'complete') && `${ended(plan, 'complete')} then.`} {afterwards(plan)}
        </Step>
      </ol>
      {ended(plan, 'first-devices') && (
        <p>
          {ended(plan, 'first-devices')} when {firstOf(plan)} this one.
        </p>
      )}
      {window && (
        <p>{`Offers are made from ${window.from} to ${window.to} (${window.zone}). Outside this time window the release waits.`}</p>
      )}
    </Panel>
  )
}

function firstOf({ kind }: ReleasePlan): string {
  return hasCallers(kind) ? 'the first caller is answered by' : 'the first device is offered'
}

function IfWrong({ plan }: { plan: ReleasePlan }) {
  const { limits } = formOf(plan.strategy)
  return (
    <Panel title="If something is wrong" level={3}>
      <p>
        The release is rolled back automatically, and its {audienceWords(plan.kind).many}{' '}
        {plan.replaces ? (
          <>
            {plan.replaces.version === plan.version ? 'keep' : 'return to'} <strong>{plan.replaces.version}</strong> (
            <ReleaseLink release={plan.replaces.release} />
            ).
          </>
        ) : (
          `${hasCallers(plan.kind) ? 'get no answer' : 'remove the task'}: no earlier release is complete.`
        )}
      </p>
      <Facts>
        {LIMITS.map((name) => (
          <Fact key={name} name={LIMIT_LABELS[name]}>
            {limits[name] !== '' && <code>{limits[name]}</code>} {limitMeaning(name, limits[name], limits)}
          </Fact>
        ))}
      </Facts>
    </Panel>
  )
}

function asFile({ app, task, version, rule, strategy }: ReleasePlan): JsonObject {
  return { app, task, version, rule, strategy }
}

function Step({ title, children }: { title: string; children: ReactNode }) {
  return (
    <li>
      <strong>{title}</strong>
      <div>{children}</div>
    </li>
  )
}

function Simulation({ plan: { kind, simulation } }: { plan: ReleasePlan }) {
  if (!simulation.needed) {
    return <Step title="No simulation">{audienceWords(kind).Many} get the version without an earlier test.</Step>
  }
  if (hasCallers(kind)) {
    return <Step title="Simulation">Each engine predicts the version’s samples on this server. Both have to pass.</Step>
  }
  const cells = simulation.cells.map((cell) => `${cell.app_version} on ${cell.os} ${cell.os_version}`)
  return (
    <Step title="Simulation">
      {`Runs on this server in ${plural(cells.length, 'combination')} of app version and system. All have to pass.`}
      {cells.length > 0 && (
        <details>
          <summary>Show them</summary>
          {cells.join(', ')}
        </details>
      )}
    </Step>
  )
}

type StageProps = { stage: PlannedStage; stages: number; kind: string }

function StageStep({ stage, stages, kind }: StageProps) {
  const pace = stage.pace === null ? '' : `, at most ${count(stage.pace)} offers/s`
  const held = stage.held_back.count > 0 ? ` Held back for comparison: ${countedDevices(stage.held_back)}.` : ''
  const reporting = plural(stage.evidence, audienceWords(kind).one)
  const wait = stage.evidence > 0 ? ` and until ${reporting} ${stage.evidence === 1 ? 'has' : 'have'} reported` : ''
  const reaches = `Reaches ${countedDevices(stage.reaches)} (${counted(stage.adds)} added by this stage)${pace}. `
  return (
    <Step title={`Stage ${stage.position + 1} of ${stages}: ${stageName({ ...stage, id_list: stage.id_list ?? '' })}`}>
      {`${hasCallers(kind) ? '' : reaches}Lasts ${lasts(stage)}${wait}.${held}`}
    </Step>
  )
}

/** Names the older releases that end at this moment; '' if there are none. */
function ended({ supersedes }: ReleasePlan, when: 'first-devices' | 'complete'): string {
  const those = supersedes.filter((each) => each.when === when)
  const names = those.map(({ release, version }) => `release ${release} (${version})`)
  if (names.length === 0) return ''
  return `${capitalized(names.join(', '))} ${names.length === 1 ? 'ends' : 'end'}`
}

/** Says how the release is watched once it is complete. */
function afterwards(plan: ReleasePlan): string {
  const watch = formOf(plan.strategy).after_complete
  if (!watch) return 'Nobody watches it then.'
  const limit = watch.failure_rate === '' ? 'twice the failure rate' : percent(watch.failure_rate, 4)
  const then = watch.action === 'alert' ? 'you are alerted' : 'it is rolled back'
  return `It stays watched: if more than ${limit} of its ${audienceWords(plan.kind).many} fail in a period, ${then}.`
}
