/** What of a workflow's version runs where, and what the plan that was applied promises (docs/task-format.md). */
import { asObject, asText, type JsonObject } from '@/lib/json'

export type Placed = {
  /** The operators of each half with their models. */
  device: string[]
  cloud: string[]
  promises: string[]
  /** The number of the placement on the server, and the name of its workflow there. */
  placement: number | null
  workflow: string | null
}

/** Returns what a manifest says of halves; null for a task that is no workflow, and for one without a plan. */
export function placedIn(manifest: JsonObject): Placed | null {
  if (manifest.placement === undefined) return null
  const { operators, promises, placement, workflow } = asObject(manifest.placement)
  const all: JsonObject[] = Object.entries(asObject(operators)).map(([name, each]) => ({ name, ...asObject(each) }))
  const half = (wanted: string) =>
    all.filter((each) => each.half === wanted).map(({ name, model }) => `${asText(name)} (${asText(model)})`)
  const { cost, accuracy, throughput } = asObject(promises)
  return {
    device: half('device'),
    cloud: half('cloud'),
    promises: [
      ...(typeof cost === 'number' ? [`$${cost.toFixed(cost < 10 ? 3 : 2)} per hour`] : []),
      ...(typeof accuracy === 'number' ? [`accuracy ${accuracy.toFixed(2)}`] : []),
      ...(typeof throughput === 'number' ? [`${throughput.toFixed(1)} items/s`] : []),
    ],
    placement: typeof placement === 'number' ? placement : null,
    workflow: asText(workflow) || null,
  }
}
