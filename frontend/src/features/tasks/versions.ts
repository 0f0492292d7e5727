/** Computations on the list of a task's versions. */
import type { RowOf } from '@/api/reading'
import type { Installed } from './queries'

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

type Count = Pick<Installed['versions'][number], 'version' | 'devices'>

/** Returns how many devices of one app have each version. */
export function installedIn(app: string, { versions }: Pick<Installed, 'versions'>): { versions: Count[] } {
  const inApp = versions.map(({ version, apps }) => ({
    version,
    devices: apps.find((each) => each.app === app)?.devices ?? 0,
  }))
  return { versions: inApp }
}

/** Returns what to compare a version with: what most devices run, if that is another one, or the next lower version. */
export function baseOf(
  version: string,
  versions: readonly string[],
  installed: { versions: readonly Count[] } | undefined,
): { version: string; devices: number } | undefined {
  const known = installed?.versions.filter((each) => versions.includes(each.version)) ?? []
  const [first] = known.toSorted((one, other) => other.devices - one.devices)
  if (first && first.devices > 0 && first.version !== version) return first
  const lower = below(version, versions)
  return lower === undefined ? undefined : { version: lower, devices: 0 }
}
