/** Computations on the list of a task's versions. */
import type { RowOf } from '@/api/reading'

export type Version = RowOf<'/api/v1/tasks/{scenario}/{task}/versions'>

/** Returns the highest version that is no pre-release, or the highest; `versions` are highest first, as in the API. */
export function latest(versions: readonly string[]): string | undefined {
  return versions.find((version) => !/^[^+]*-/.test(version)) ?? versions[0]
}

/** Returns the next lower version. */
export function below(version: string | undefined, versions: readonly string[]): string | undefined {
  const at = version === undefined ? -1 : versions.indexOf(version)
  return at < 0 ? undefined : versions[at + 1]
}
