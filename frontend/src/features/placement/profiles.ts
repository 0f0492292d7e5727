/** Where the accuracies, sizes and latencies of a placement are from, and what was measured. */
import { problemOf, type Placement } from './answer'
import { isUnderWay, type PlacementRow } from './progress'

/** `name` is a task with its version, `placement` the one for which it was measured, once it is. */
export type Profile = { name: string; placement?: number }

/** Returns what a placement was profiled of; null if the workflow's document had the numbers. */
export function profileOf(profiled: PlacementRow['profiled']): Profile | null {
  if (profiled === null) return null
  const { task, version, placement } = profiled as { task: string; version: string; placement?: number }
  return { name: `${task} ${version}`, ...(placement !== undefined && { placement }) }
}

/** Returns the placements whose measurements another one may take, as the choices of a field, the newest first. */
export function profileChoices(placements: readonly PlacementRow[]): { value: string; label: string }[] {
  return placements.flatMap(({ id, state, profiled }) => {
    const profile = profileOf(profiled)
    return profile?.placement === id && !isUnderWay(state)
      ? [{ value: String(id), label: `#${id}: ${profile.name}` }]
      : []
  })
}

/** A model of an operator on a type of worker: milliseconds of an item by percentile, the highest accuracy measured. */
export type MeasuredModel = {
  operator: string
  model: string
  type: string
  accuracy: number | null
  p50: number
  p75: number
  p90: number
}

type Times = Record<string, Record<string, Record<string, number>>>
type Measurements = {
  accuracy_rows: Record<string, Record<string, { output: number }[]>>
  profiles: { p50: Times; p75: Times; p90: Times }
}

/**
 * Returns what was measured for a placement, a row for each model and type of worker, in the workflow's order; none if
 * nothing was.
 */
export function measuredModels(placement: Placement): MeasuredModel[] {
  if (placement.measurements === null) return []
  const { accuracy_rows: rows, profiles } = placement.measurements as unknown as Measurements
  return problemOf(placement).workflow.operators.flatMap(({ name: operator }) =>
    Object.entries(profiles.p75[operator] ?? {}).flatMap(([model, times]) => {
      const outputs = (rows[operator]?.[model] ?? []).map(({ output }) => output)
      const accuracy = outputs.length > 0 ? Math.max(...outputs) : null
      return Object.entries(times).map(([type, p75]) => ({
        operator,
        model,
        type,
        accuracy,
        p50: profiles.p50[operator]?.[model]?.[type] ?? p75,
        p75,
        p90: profiles.p90[operator]?.[model]?.[type] ?? p75,
      }))
    }),
  )
}
