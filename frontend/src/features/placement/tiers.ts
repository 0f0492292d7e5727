/** The drawing of a plan: operators in lanes of tiers, the highest on top, in columns by how far they are from sources. */
import type { Plan, Problem } from './answer'

/** An operator at one tier, with its workers there; a source has none. */
export type Box = {
  id: string
  operator: string
  model: string | null
  workers: string[]
  /** The busiest of its workers at this tier, 0 to 1. */
  busy: number
  lane: number
  column: number
}
export type Flow = { from: string; to: string }
export type Drawing = { lanes: string[]; columns: number; boxes: Box[]; flows: Flow[] }

/** Returns the drawing of a plan. Sources are at the lowest tier. */
export function drawingOf(problem: Problem, plan: Plan): Drawing {
  const { tiers, workers } = problem.infrastructure
  const lanes = tiers.map(({ name }) => name).toReversed()
  const laneOf = new Map(workers.map(({ id, tier }) => [id, lanes.indexOf(tier)]))
  const columns = columnsOf(problem)
  const boxes: Box[] = problem.workflow.sources.map((source) => ({
    id: source,
    operator: source,
    model: null,
    workers: [],
    busy: 0,
    lane: lanes.length - 1,
    column: 0,
  }))
  for (const { name } of problem.workflow.operators) {
    const ids = plan.plan.workers[name] ?? []
    for (const lane of new Set(ids.map((id) => laneOf.get(id) ?? 0))) {
      const here = ids.filter((id) => laneOf.get(id) === lane)
      const busy = Math.max(0, ...here.map((id) => plan.utilisation[id] ?? 0))
      const model = plan.plan.models[name] ?? ''
      boxes.push({
        id: `${name} ${lane}`,
        operator: name,
        model,
        workers: here,
        busy,
        lane,
        column: columns.get(name) ?? 1,
      })
    }
  }
  const flows = problem.workflow.edges.flatMap(({ source, target }) =>
    boxes
      .filter(({ operator }) => operator === source)
      .flatMap((from) =>
        boxes
          .filter((to) => to.operator === target && to.lane <= from.lane)
          .map((to) => ({ from: from.id, to: to.id })),
      ),
  )
  return { lanes, columns: 1 + Math.max(0, ...columns.values()), boxes, flows }
}

/** Returns how many edges each operator is away from the farthest source. */
function columnsOf({ workflow }: Problem): Map<string, number> {
  const found = new Map<string, number>(workflow.sources.map((source) => [source, 0]))
  const visit = (name: string): number => {
    const known = found.get(name)
    if (known !== undefined) return known
    const before = workflow.edges.filter(({ target }) => target === name).map(({ source }) => visit(source))
    const column = 1 + Math.max(0, ...before)
    found.set(name, column)
    return column
  }
  for (const { name } of workflow.operators) visit(name)
  return found
}
