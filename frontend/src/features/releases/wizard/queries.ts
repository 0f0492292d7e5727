/** The wizard's queries, which change nothing on the server. */
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
/** A placeholder that is never sent, because the query is disabled then. */
const NOTHING: ReleaseRequest = { app: '', task: '', version: '', rule: {} }
/** A rule for all devices, to preview a strategy before its rule exists. */
const EVERYBODY: JsonObject = { fact: 'app_version', glob: '*' }

/** Reads all errors of a rule; no device is read. */
export function validation(app: string, rule: JsonObject | null) {
  return queryOptions({
    queryKey: [VALIDATE, app, rule],
    queryFn: ({ signal }) =>
      answer<Validation>(client.POST(VALIDATE, { params: { path: { app } }, body: { rule: rule ?? {} }, signal })),
    enabled: app !== '' && rule !== null,
  })
}

/** Reads how many devices a rule matches, every ten seconds. */
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

/** Reads the preview of a release, or why it would be refused. */
export function plan(request: ReleaseRequest | null) {
  return queryOptions({
    queryKey: [PLAN, request],
    queryFn: ({ signal }) => resultOrFaults<ReleasePlan>(client.POST(PLAN, { body: request ?? NOTHING, signal })),
    enabled: request !== null,
  })
}

/** An answer, or the faults that prevent it; these are no error, so that they stay visible until the next answer. */
type ResultOrFaults<T> = { result: T | null; faults: readonly Fault[] }

async function resultOrFaults<T>(call: Promise<{ data?: T; response: Response }>): Promise<ResultOrFaults<T>> {
  try {
    return { result: await answer(call), faults: [] }
  } catch (error) {
    if (error instanceof ApiProblem && error.errors.length > 0) return { result: null, faults: faultsIn(error) }
    throw error
  }
}

/** Reads the strategy that the server proposes for a version: its defaults, with the task's limit. */
export function proposal(of: { app: string; task: string; version: string }) {
  const known = of.app !== '' && of.task !== '' && of.version !== ''
  return plan(known ? { app: of.app, task: of.task, version: of.version, rule: EVERYBODY } : null)
}

/** Returns the request with a valid rule, so that the rest is checked while its own rule is invalid. */
export function withoutRule(request: Omit<ReleaseRequest, 'rule'>): ReleaseRequest {
  return { ...request, rule: EVERYBODY }
}
