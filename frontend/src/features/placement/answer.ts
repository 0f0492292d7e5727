/** The problem and the result of a placement, as walle.placement.problem and walle.placement.answer write them. */
import type { Schemas } from '@/api/schemas'

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

export type Answer = {
  plans: Plan[]
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
  if (gap === null) return 'Nothing was proved about better plans.'
  if (gap < 1e-4) return `No plan is cheaper than ${dollars(best.cost)} per hour: this is proved.`
  return `No plan is cheaper by more than ${(100 * gap).toFixed(1)} %: the proof ended (${ended}) before it was complete.`
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
