/** How far placements are. */
import type { Schemas } from '@/api/schemas'

export type PlacementRow = Schemas['Placement']
type Workflow = Schemas['Workflow']

/** Whether a placement has not ended. */
export function isUnderWay(state: PlacementRow['state']): boolean {
  return state === 'pending' || state === 'running'
}

/** Returns what changes whenever there is more to read of a placement: its state, what is done, the best cost. */
export function markOf({ state, progress, cost }: Pick<PlacementRow, 'state' | 'progress' | 'cost'>): string {
  return JSON.stringify([state, progress.phase ?? '', cost])
}

/** Returns workflows with their last placements as `told`, the newest first, where that has one that is not older. */
export function withLast(workflows: readonly Workflow[], told: readonly PlacementRow[]): readonly Workflow[] {
  const newest = new Map<string, PlacementRow>()
  for (const each of told) {
    const name = `${each.scenario}/${each.workflow}`
    if (!newest.has(name)) newest.set(name, each)
  }
  return workflows.map((workflow) => {
    const last = newest.get(`${workflow.scenario}/${workflow.slug}`)
    return last && last.id >= (workflow.last_placement?.id ?? 0) ? { ...workflow, last_placement: last } : workflow
  })
}
