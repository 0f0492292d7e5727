/** What of a plan runs on devices and what in the cloud, once it is a version (walle.placement.halves). */
import type { Plan, Problem } from './answer'

export type Halves = {
  /** Each operator of the half as "name (model)". */
  device: string[]
  cloud: string[]
  /** The names of those that have workers of both: somebody has to say where they run. */
  spanning: string[]
}

/** Returns the tiers of a problem, the lowest first. */
export function tiersOf({ infrastructure }: Problem): string[] {
  return infrastructure.tiers.map(({ name }) => name)
}

/** Returns the halves of a plan if some tiers are the device. */
export function halvesOf(problem: Problem, { plan }: Plan, deviceTiers: readonly string[]): Halves {
  const tierOf = new Map(problem.infrastructure.workers.map(({ id, tier }) => [id, tier]))
  const found: Halves = { device: [], cloud: [], spanning: [] }
  for (const { name } of problem.workflow.operators) {
    const onDevice = (plan.workers[name] ?? []).map((id) => deviceTiers.includes(tierOf.get(id) ?? ''))
    const said = `${name} (${plan.models[name] ?? ''})`
    if (onDevice.every(Boolean)) found.device.push(said)
    else if (!onDevice.some(Boolean)) found.cloud.push(said)
    else found.spanning.push(name)
  }
  return found
}
