/** Who gets the versions of a task: devices, or of a pipeline its callers. */
import { capitalized } from './format'

export const PIPELINE = 'pipeline'
/** The rule of a pipeline for all callers: the fact is true of each of them. */
export const EVERY_CALLER = { fact: 'kind-pipeline', equals: true } as const

/** Returns whether the versions of tasks of this kind answer callers. */
export function hasCallers(kind: string | undefined): boolean {
  return kind === PIPELINE
}

/** The words for those who get the versions of a kind of tasks. */
export function audienceWords(kind: string | undefined) {
  const one = hasCallers(kind) ? 'caller' : 'device'
  return { one, many: `${one}s`, One: capitalized(one), Many: capitalized(`${one}s`) }
}
