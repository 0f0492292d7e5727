import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { ReleasePlan } from '@/api/schemas'
import { hasCallers } from '@/lib/audience'
import type { JsonObject } from '@/lib/json'
import { requestOf, parseRuleDraft, type ReleaseRequest, type ShownDraft } from './draft'
import { faultsIn, stepOf, type Fault } from './faults'
import { plan, preview, proposal, validation, withoutRule, type Preview, type Validation } from './queries'
import type { Step } from './steps'
import { formOf, strategyOf, type StrategyForm } from './strategy'
import { warningsByStep, type WarningsByStep } from './warnings'

const TYPING_MS = 250

/** The evaluation of a draft by the server, as far as it is complete. */
export type DraftEvaluation = {
  /** The complete rule; null while it is incomplete. */
  rule: JsonObject | null
  validation: Validation | undefined
  preview: Preview | undefined
  /** Why the devices could not be counted, other than an error in the rule. */
  countError: unknown
  /** The strategy in effect: that of the draft, or the server's proposal. */
  strategy: StrategyForm | null
  plan: ReleasePlan | undefined
  request: ReleaseRequest | null
  faults: Record<Step, Fault[]>
  warnings: WarningsByStep
  /** Why nothing can be evaluated, other than an error in the draft: a missing role, an unreachable server. */
  problem: unknown
  retry: () => void
  /** Whether the figures are older than the last change. */
  isOld: boolean
}

export function useDraftEvaluation(draft: ShownDraft): DraftEvaluation {
  const [settled] = useDebouncedValue(draft, TYPING_MS)
  const { app, task, version, strategy } = settled
  const { json, why } = parseRuleDraft(settled.rule)
  // A rule by itself is checked, and counted, for devices; that of a pipeline is checked with the rest.
  const ofDevices = hasCallers(settled.kind) ? null : json
  const checked = useQuery({ ...validation(app, ofDevices), placeholderData: keepPreviousData })
  const matched = useQuery({ ...preview(app, ofDevices), placeholderData: keepPreviousData })
  const proposed = useQuery(proposal(settled))
  // Memoized, because its stages are identified by their keys.
  const proposedForm = useMemo(
    () => (proposed.data?.result ? formOf(proposed.data.result.strategy) : null),
    [proposed.data],
  )
  const request = requestOf(settled, json)
  const planned = useQuery({ ...plan(request), placeholderData: keepPreviousData })
  // What the server proposes for the devices that the rule matches goes before what it proposes for all.
  const fitted = settled.strategy === null ? planned.data?.result?.strategy : undefined
  const fittedForm = useMemo(() => (fitted ? formOf(fitted) : null), [fitted])
  const ruleFaults = why ? [why] : ofDevices ? [...faultsOf(checked.data), ...faultsIn(checked.error)] : []
  // The server checks the rule first: while it has errors, the strategy is checked separately.
  const isAlone = ruleFaults.length > 0 && strategy !== null && app && task && version
  const alone = useQuery({
    ...plan(isAlone ? withoutRule({ app, task, version, strategy: strategyOf(strategy) }) : null),
    placeholderData: keepPreviousData,
  })

  const refused = [
    ...((request && planned.data?.faults) ?? []),
    ...(isAlone ? (alone.data?.faults ?? []) : []),
    ...(request || isAlone ? [] : (proposed.data?.faults ?? [])),
  ]
  const of = (step: Step) => refused.filter((fault) => stepOf(fault) === step)
  const effects = (request && planned.data?.result) ?? undefined
  const error = planned.error ?? alone.error ?? proposed.error
  return {
    rule: json,
    validation: ofDevices ? checked.data : undefined,
    preview: (ofDevices && matched.data?.result) ?? undefined,
    countError: ofDevices && matched.error,
    strategy: draft.strategy ?? fittedForm ?? proposedForm,
    plan: effects,
    request,
    faults: {
      version: [...missingIn(draft), ...of('version')],
      devices: ruleFaults.length > 0 ? ruleFaults : of('devices'),
      stages: of('stages'),
      review: [],
    },
    warnings: warningsByStep(effects, proposed.data?.result ?? undefined),
    problem: error,
    retry: () =>
      void Promise.all(
        [planned, matched, checked, proposed, alone].filter(({ isError }) => isError).map((query) => query.refetch()),
      ),
    isOld:
      settled !== draft ||
      (json !== null && (ofDevices ? [planned, matched, checked] : [planned]).some((query) => query.isPlaceholderData)),
  }
}

/** Returns the errors of a rule in the form of refusals. */
function faultsOf(found: Validation | undefined): Fault[] {
  return (found?.faults ?? []).map(({ path, expected }) => ({ path, expected: `expected ${expected}` }))
}

function missingIn({ app, task, version }: ShownDraft): Fault[] {
  const faults: Fault[] = []
  if (!app) faults.push({ path: 'app', expected: 'Choose an app.' })
  if (!task) faults.push({ path: 'task', expected: 'Choose a task.' })
  if (task && !version) faults.push({ path: 'version', expected: 'Choose a version.' })
  return faults
}
