/** The server's errors about a release, by their places in it. */
import { ApiProblem } from '@/api/problem'
import { capitalized } from '@/lib/format'
import type { Step } from './steps'

export type Fault = {
  /** `rule.any[1].fact`, `strategy.stages[1].percent`, `version`. */
  path: string
  expected: string
}

const PLACED = /^((?:rule|strategy)(?:[.[][^\s:]*)?): (.*)$/s

/** Returns the errors of a refusal, each at its most precise place; none if it was refused for another reason. */
export function faultsIn(error: unknown): Fault[] {
  if (!(error instanceof ApiProblem)) return []
  return error.errors.map(({ field, detail }) => {
    const [, path, expected] = PLACED.exec(detail) ?? []
    return path !== undefined && expected !== undefined
      ? { path, expected: expected }
      : { path: field, expected: detail }
  })
}

/** Returns the error as a sentence. */
export function sentence({ expected }: Fault): string {
  const capital = capitalized(expected)
  return /[.!?]$/.test(capital) ? capital : `${capital}.`
}

/** Returns the errors at this place or below it. */
export function faultsAt(faults: readonly Fault[], path: string): Fault[] {
  return faults.filter((fault) => fault.path === path || isBelow(fault.path, path))
}

function isBelow(path: string, above: string): boolean {
  const next = path.charAt(above.length)
  return path.startsWith(above) && (next === '.' || next === '[')
}

/** Returns the step in which an error can be corrected. */
export function stepOf({ path }: Fault): Step {
  if (/^(rule|app_versions)\b/.test(path)) return 'devices'
  return path.startsWith('strategy') ? 'stages' : 'version'
}
