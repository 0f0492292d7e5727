/**
 * A strategy as a form: what docs/guides/releases.md describes, with '' for missing values.
 *
 * Invalid numbers are kept and sent: the server reports their errors.
 */
import { stageKindNamed, USUAL_KIND, type StageKind } from '@/lib/stageKinds'
import { asList, asNumber, asObject, asText, type JsonObject } from '@/lib/json'

export type Amount = number | ''
export type StageForm = {
  readonly key: number
  kind: StageKind
  /** An id list instead of a share; null for a share. */
  list: string | null
  percent: Amount
  dwell_s: Amount
  evidence: Amount
  pace: Amount
}
export type WindowForm = { zone: string; from: string; to: string; days: number[] }
/** What happens to a complete release that exceeds its limit. */
export type AfterAction = 'alert' | 'roll-back'
export type AfterCompleteForm = { failure_rate: Amount; period_s: Amount; evidence: Amount; action: AfterAction }
export type StrategyForm = {
  simulation: boolean
  approval: boolean
  stages: StageForm[]
  control_percent: Amount
  limits: Record<LimitName, Amount>
  metric: string
  grace_s: Amount
  silence_s: Amount
  defer_s: Amount
  window: WindowForm | null
  /** How a complete release is watched; null for not at all. */
  after_complete: AfterCompleteForm | null
}

export const LIMITS = [
  'failure_rate',
  'latency_ms',
  'stop_rate',
  'stop_after',
  'failure_margin',
  'silent_share',
  'silence_margin',
  'latency_quantile',
  'slowdown_margin',
  'drift_margin',
] as const
export type LimitName = (typeof LIMITS)[number]

let keys = 0
const newKey = () => ++keys

/** Returns the form of the API's strategy, which has all defaults filled in. */
export function formOf(strategy: JsonObject): StrategyForm {
  const limits = asObject(strategy.limits)
  return {
    simulation: strategy.simulation === true,
    approval: strategy.approval === true,
    stages: asList(strategy.stages).map((each) => stageForm(asObject(each))),
    control_percent: amountIn(strategy.control_percent),
    limits: Object.fromEntries(LIMITS.map((name) => [name, amountIn(limits[name])])) as Record<LimitName, Amount>,
    metric: asText(strategy.metric),
    grace_s: amountIn(strategy.grace_s),
    silence_s: amountIn(strategy.silence_s),
    defer_s: amountIn(strategy.defer_s),
    window: strategy.window ? windowForm(asObject(strategy.window)) : null,
    after_complete: strategy.after_complete === null ? null : afterCompleteForm(asObject(strategy.after_complete)),
  }
}

function stageForm(stage: JsonObject): StageForm {
  return {
    key: newKey(),
    kind: stageKindNamed(stage.kind),
    list: typeof stage.list === 'string' ? stage.list : null,
    percent: amountIn(stage.percent),
    dwell_s: amountIn(stage.dwell_s),
    evidence: amountIn(stage.evidence),
    pace: amountIn(stage.pace),
  }
}

function windowForm(window: JsonObject): WindowForm {
  const days = asList(window.days).filter((day): day is number => typeof day === 'number')
  return { zone: asText(window.zone), from: asText(window.from), to: asText(window.to), days }
}

function afterCompleteForm(after: JsonObject): AfterCompleteForm {
  return {
    failure_rate: amountIn(after.failure_rate),
    period_s: amountIn(after.period_s),
    evidence: amountIn(after.evidence),
    action: after.action === 'roll-back' ? 'roll-back' : 'alert',
  }
}

/** The form of a watch whose numbers are the server's defaults. */
export const USUAL_WATCH: AfterCompleteForm = { failure_rate: '', period_s: '', evidence: '', action: 'alert' }

const amountIn = (value: unknown): Amount => asNumber(value) ?? ''

/** Returns the strategy for the API; the server fills in what is empty, if it may be. */
export function strategyOf(form: StrategyForm): JsonObject {
  return {
    simulation: form.simulation,
    approval: form.approval,
    stages: form.stages.map((stage) => ({
      kind: stage.kind,
      ...(stage.list === null ? { percent: orNull(stage.percent) } : { list: stage.list }),
      ...filledIn({ dwell_s: stage.dwell_s, evidence: stage.evidence, pace: stage.pace }),
    })),
    limits: filledIn(form.limits),
    ...filledIn({ control_percent: form.control_percent, grace_s: form.grace_s }),
    ...filledIn({ silence_s: form.silence_s, defer_s: form.defer_s }),
    metric: form.metric === '' ? null : form.metric,
    window: form.window,
    after_complete: form.after_complete && afterCompleteOf(form.after_complete),
  }
}

function afterCompleteOf({ action, ...amounts }: AfterCompleteForm): JsonObject {
  return { ...filledIn(amounts), action }
}

const orNull = (amount: Amount) => (amount === '' ? null : amount)

function filledIn(amounts: Record<string, Amount>): JsonObject {
  return Object.fromEntries(Object.entries(amounts).filter(([, amount]) => amount !== ''))
}

/** Adds a stage before the last one, half-way between its neighbours. */
export function withStage(stages: StageForm[]): StageForm[] {
  const last = stages.at(-1)
  const before = percentOf(stages.at(-2), 0)
  if (!last)
    return [{ key: newKey(), kind: USUAL_KIND, list: null, percent: 100, dwell_s: 300, evidence: 100, pace: '' }]
  const percent = Math.round((before + percentOf(last, 100)) / 2)
  return [...stages.slice(0, -1), { ...last, key: newKey(), kind: USUAL_KIND, list: null, percent }, last]
}

function percentOf(stage: StageForm | undefined, otherwise: number): number {
  return typeof stage?.percent === 'number' ? stage.percent : otherwise
}

export function withoutStage(stages: StageForm[], key: number): StageForm[] {
  return stages.filter((stage) => stage.key !== key)
}

export function changedStage(stages: StageForm[], key: number, change: Partial<StageForm>): StageForm[] {
  return stages.map((stage) => (stage.key === key ? { ...stage, ...change } : stage))
}

/** Returns the form for an urgent release: one stage that reaches every device and waits for nothing. */
export function atOnce(form: StrategyForm): StrategyForm {
  const only = { key: newKey(), kind: USUAL_KIND, list: null, percent: 100, dwell_s: 0, evidence: 0, pace: '' } as const
  return { ...form, simulation: false, control_percent: 0, defer_s: 0, stages: [only] }
}
