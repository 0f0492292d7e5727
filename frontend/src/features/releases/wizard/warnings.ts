/** What the server finds allowed but probably unintended, by the step and the place that cause it. */
import type { ReleasePlan } from '@/api/schemas'
import { capitalized } from '@/lib/format'
import { stepOf } from './faults'
import type { Step } from './steps'

export type PlanWarning = ReleasePlan['warnings'][number]

const STAGE = /^strategy\.stages\[(\d+)\]/

export function warningsOf(plan: ReleasePlan | undefined, step: Step): PlanWarning[] {
  return (plan?.warnings ?? []).filter(({ field }) => stepOf({ path: field, expected: '' }) === step)
}

/** Returns the stage that causes a warning, counted from 0; null if it is about something else. */
export function stageOf({ field }: PlanWarning): number | null {
  const [, position] = STAGE.exec(field) ?? []
  return position === undefined ? null : Number(position)
}

/** Returns a warning as a sentence that names its stage. */
export function warningSentence(warning: PlanWarning): string {
  const stage = stageOf(warning)
  return stage === null ? `${capitalized(warning.detail)}.` : `Stage ${stage + 1}: ${warning.detail}.`
}
