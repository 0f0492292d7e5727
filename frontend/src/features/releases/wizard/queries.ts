/** What the wizard asks the server while somebody decides. Nothing of it changes anything there. */
import { queryOptions } from '@tanstack/react-query'
import { answer, client } from '@/api/client'
import { ApiProblem } from '@/api/problem'
import type { ReleasePlan, Schemas } from '@/api/schemas'
import type { JsonObject } from '@/lib/json'
import type { ReleaseRequest } from './draft'
import { faultsIn, type Fault } from './faults'

export type PlannedStage = Schemas['PlannedStage']
export type Preview = Schemas['Preview']
export type Validation = Schemas['RuleValidation']

const PREVIEW = '/api/v1/apps/{app}/targeting/preview'
const VALIDATE = '/api/v1/apps/{app}/targeting/validate'
const PLAN = '/api/v1/releases/plan'
const COUNT_AGAIN_MS = 10_000
/** Never asked about: the query is not enabled then. */
const NOTHING: ReleaseRequest = { app: '', task: '', version: '', rule: {} }
/** Takes every device, so that a strategy can be looked at before its rule is there. */
const EVERYBODY: JsonObject = { fact: 'app_version', glob: '*' }

/** All that is wrong with a rule; no device is looked at. */
export function validation(app: string, rule: JsonObject | null) {
  return queryOptions({
    queryKey: [VALIDATE, app, rule],
    queryFn: ({ signal }) =>
      answer<Validation>(client.POST(VALIDATE, { params: { path: { app } }, body: { rule: rule ?? {} }, signal })),
    enabled: app !== '' && rule !== null,
  })
}

/** How many devices a rule matches, anew every ten seconds. */
export function preview(app: string, rule: JsonObject | null) {
  return queryOptions({
    queryKey: [PREVIEW, app, rule],
    queryFn: ({ signal }) =>
      resultOrFaults<Preview>(
        client.POST(PREVIEW, { params: { path: { app } }, body: { rule: rule ?? {}, exact: false }, signal }),
      ),
    enabled: app !== '' && rule !== null,
    refetchInterval: COUNT_AGAIN_MS,
  })
}

/** What a release would do, or for what it would be refused. */
export function plan(request: ReleaseRequest | null) {
  return queryOptions({
    queryKey: [PLAN, request],
    queryFn: ({ signal }) => resultOrFaults<ReleasePlan>(client.POST(PLAN, { body: request ?? NOTHING, signal })),
    enabled: request !== null,
  })
}

/** An answer, or the faults for which there is none: no error, so that they stay in view until the next answer comes. */
type ResultOrFaults<T> = { result: T | null; faults: readonly Fault[] }

async function resultOrFaults<T>(call: Promise<{ data?: T; response: Response }>): Promise<ResultOrFaults<T>> {
  try {
    return { result: await answer(call), faults: [] }
  } catch (error) {
    if (error instanceof ApiProblem && error.errors.length > 0) return { result: null, faults: faultsIn(error) }
    throw error
  }
}

/** The strategy that the server proposes for a version: its own defaults, with the task's limit. */
export function proposal(of: { app: string; task: string; version: string }) {
  const known = of.app !== '' && of.task !== '' && of.version !== ''
  return plan(known ? { app: of.app, task: of.task, version: of.version, rule: EVERYBODY } : null)
}

/** The request with a rule that is sound, where its own is not yet: what is wrong with the rest is said nevertheless. */
export function withoutRule(request: Omit<ReleaseRequest, 'rule'>): ReleaseRequest {
  return { ...request, rule: EVERYBODY }
}
