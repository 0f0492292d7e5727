/** What the server finds allowed but probably unintended, by the step and the place that cause it. */
import type { ReleasePlan } from '@/api/schemas'
import { capitalized } from '@/lib/format'
import { faultsAt, stepOf } from './faults'
import { STEPS, type Step } from './steps'

export type PlanWarning = ReleasePlan['warnings'][number]
export type WarningsByStep = Record<Step, PlanWarning[]>
type Warned = Pick<ReleasePlan, 'warnings' | 'simulation'>

const STAGE = /^strategy\.stages\[(\d+)\]/

/** Returns the warnings by their steps. Before there is a rule, `proposed` tells what is known of the version alone. */
export function warningsByStep(plan: Warned | undefined, proposed: Warned | undefined): WarningsByStep {
  const found = allOf(plan)
  const of = (step: Step) => found.filter((warning) => stepOfWarning(warning) === step)
  const byStep = Object.fromEntries(STEPS.map((step) => [step, of(step)])) as WarningsByStep
  if (plan) return byStep
  return { ...byStep, version: allOf(proposed).filter((warning) => stepOfWarning(warning) === 'version') }
}

function allOf(plan: Warned | undefined): PlanWarning[] {
  if (!plan) return []
  const { needed, problems } = plan.simulation
  return [...plan.warnings, ...(needed ? problems : []).map((detail) => ({ field: 'strategy.simulation', detail }))]
}

function stepOfWarning({ field }: PlanWarning): Step {
  return stepOf({ path: field, expected: '' })
}

/** Returns the warnings about this place or what is below it. */
export function warningsAt(warnings: readonly PlanWarning[], path: string): PlanWarning[] {
  return warnings.filter(({ field }) => faultsAt([{ path: field, expected: '' }], path).length > 0)
}

/** Returns the warnings about none of these places. */
export function warningsElsewhere(warnings: readonly PlanWarning[], paths: readonly string[]): PlanWarning[] {
  const placed = new Set(paths.flatMap((path) => warningsAt(warnings, path)))
  return warnings.filter((warning) => !placed.has(warning))
}

/** Returns a warning as a sentence that names its stage. */
export function warningSentence({ field, detail }: PlanWarning): string {
  const [, position] = STAGE.exec(field) ?? []
  return position === undefined ? `${capitalized(detail)}.` : `Stage ${Number(position) + 1}: ${detail}.`
}
