/** The problem and the result of a placement, as walle.placement.problem and walle.placement.answer write them. */
import type { Schemas } from '@/api/schemas'
import { percent } from '@/lib/format'

/** A plan with its evaluation; costs are USD per hour. */
export type Plan = {
  plan: { models: Record<string, string>; workers: Record<string, string[]>; shares: Record<string, number[]> }
  cost: number
  compute: number
  network: number
  accuracy: number | null
  throughput: number | null
  utilisation: Record<string, number>
  violations: string[]
}

/** The cheapest plan at one accuracy and one multiple of the rates. */
export type FrontierPoint = { accuracy: number; factor: number; bound: number; changed: boolean; best: Plan }

export type Remedy = { constraint: string; subject: string; value: number; text: string }

/** What a baseline costs; null if it finds no feasible plan. `best` is its plan, null if it is none of the problem. */
export type Baseline = {
  name: string
  cost: number | null
  compute: number | null
  network: number | null
  accuracy: number | null
  best: Plan | null
}

export type Answer = {
  plans: Plan[]
  /** Missing in the answers of older servers. */
  baselines?: Baseline[]
  bound: number | null
  gap: number | null
  ended: string
  seconds: number
  beam_cost: number | null
  accuracy_frontier: FrontierPoint[]
  rate_frontier: FrontierPoint[]
  infeasible: { constraints: string[]; certain: boolean; remedies: Remedy[] } | null
}

export type Problem = {
  workflow: {
    sources: string[]
    sink: string
    operators: { name: string; inputs?: string[]; models: { name: string }[] }[]
    edges: { source: string; target: string }[]
  }
  infrastructure: {
    tiers: { name: string }[]
    workers: { id: string; type: string; tier: string; cost_per_hour: number }[]
  }
  target: { accuracy: number; rates: Record<string, number> }
  percentile?: string
}

export type Placement = Schemas['PlacementDetail']

/** Returns the result of a placement that has one. */
export function answerOf(placement: Placement): Answer | null {
  return placement.result as Answer | null
}

/** Returns the problem of a placement, as it was when that was asked for. */
export function problemOf(placement: Placement): Problem {
  return placement.problem as unknown as Problem
}

/** What is known of better plans, in a sentence. */
export function proofText({ plans, gap, ended }: Answer): string {
  const best = plans[0]
  if (!best) return ''
  if (ended === 'searching') return 'The best plan so far: better ones, and a proof, are being looked for.'
  if (ended === 'too-large') return 'The problem is too large for a proof: cheaper plans may exist.'
  if (gap === null) return 'Nothing was proved about better plans.'
  if (gap < 1e-4) return `No plan is cheaper than ${dollars(best.cost)} per hour: this is proved.`
  return `No plan is cheaper by more than ${(100 * gap).toFixed(1)} %: the proof ended (${ended}) before it was complete.`
}

/** Returns which part of a baseline's cost the best plan saves, below 0 if it costs more; null if it has none. */
export function savedOf({ plans }: Answer, { cost }: Baseline): number | null {
  const best = plans[0]
  return best && cost !== null && cost > 0 ? 1 - best.cost / cost : null
}

/** Returns the cheapest of the baselines that are plans of this problem; null without any. */
export function cheapestBaseline({ baselines = [] }: Answer): Baseline | null {
  const runnable = baselines.filter(({ best, cost }) => best !== null && cost !== null)
  return runnable.sort((a, b) => (a.cost ?? 0) - (b.cost ?? 0))[0] ?? null
}

/** "saves 58 %", or what it costs more; less than half a percent is neither. */
export function savedText(saved: number): string {
  if (Math.abs(saved) < 0.005) return 'saves nothing'
  return saved >= 0 ? `saves ${percent(saved, 0)}` : `costs ${percent(-saved, 0)} more`
}

/** An amount of USD per hour. */
export function dollars(value: number): string {
  return `$${value.toFixed(value < 10 ? 3 : 2)}`
}

/** The busiest worker of a plan with its share, null if none is used. */
export function busiest({ utilisation }: Plan): { id: string; share: number } | null {
  const [first] = Object.entries(utilisation).sort(([, a], [, b]) => b - a)
  return first ? { id: first[0], share: first[1] } : null
}
