/** Which plan of an answer is shown: one of the best (`0`, `1`), of a frontier (`a2`, `r5`) or of the baselines (`b3`). */
import { percent } from '@/lib/format'
import type { Answer, FrontierPoint, Plan } from './answer'

export type Choice =
  | { kind: 'plan'; index: number; plan: Plan }
  | { kind: 'baseline'; index: number; plan: Plan; name: string }
  | { kind: 'accuracy' | 'rate'; index: number; plan: Plan; point: FrontierPoint }

const FORM = /^([abr]?)(\d{1,4})$/

/** Returns the plan that an address names, the best one if it names none; null if there is no plan at all. */
export function chosen(answer: Answer, named: string | undefined): Choice | null {
  const [, letter = '', digits = '0'] = FORM.exec(named ?? '') ?? []
  const index = Number(digits)
  if (letter === 'b') {
    const { name, best } = answer.baselines?.[index] ?? {}
    if (name !== undefined && best) return { kind: 'baseline', index, plan: best, name }
  } else if (letter !== '') {
    const kind = letter === 'a' ? 'accuracy' : 'rate'
    const point = pointsOf(answer, kind)[index]
    if (point) return { kind, index, plan: point.best, point }
  }
  const shown = answer.plans[letter === '' ? index : 0] ? index : 0
  const plan = answer.plans[letter === '' ? shown : 0]
  return plan ? { kind: 'plan', index: letter === '' ? shown : 0, plan } : null
}

/** Returns the points of a frontier. */
export function pointsOf(answer: Answer, kind: 'accuracy' | 'rate'): FrontierPoint[] {
  return kind === 'accuracy' ? answer.accuracy_frontier : answer.rate_frontier
}

/** Returns how an address names a plan; undefined for the best one. */
export function nameOf(kind: Choice['kind'], index: number): string | undefined {
  if (kind === 'plan') return index === 0 ? undefined : String(index)
  return `${kind[0]}${index}`
}

/** Returns what a plan is called. */
export function titleOf(choice: Choice): string {
  if (choice.kind === 'plan') return choice.index === 0 ? 'Best' : `No. ${choice.index + 1}`
  if (choice.kind === 'baseline') return `Baseline ${choice.name}`
  return choice.kind === 'accuracy'
    ? `Accuracy ${choice.point.accuracy}`
    : `${percent(choice.point.factor, 0)} of the rates`
}

/** Where a plan of a placement stands, as a request to apply it says: `plan` is from 1 on. */
export type PlanPlace = { of: 'plans' | 'accuracy' | 'rate'; plan: number }

/** Returns where a plan stands; null for a baseline, which is none of the placement's plans. */
export function placeOf({ kind, index }: Choice): PlanPlace | null {
  return kind === 'baseline' ? null : { of: kind === 'plan' ? 'plans' : kind, plan: index + 1 }
}

/** Returns the point of a frontier that stands for the problem's own target. */
export function pointOfTarget(points: readonly FrontierPoint[], kind: 'accuracy' | 'rate', accuracy: number): number {
  const index = points.findIndex((point) => (kind === 'rate' ? point.factor >= 1 : point.accuracy >= accuracy))
  return index < 0 ? Math.max(0, points.length - 1) : index
}
