import type { ReleasePlan } from '@/api/schemas'
import { counted } from '@/lib/counted'
import { capitalized } from '@/lib/format'

/** "12 of 40 have 1.1.0 already."; '' where the rule matches no device. */
export function alreadyInstalled({
  version,
  matched,
  installed,
}: Pick<ReleasePlan, 'version' | 'matched' | 'installed'>): string {
  if (matched.count === 0) return ''
  if (installed.exact && installed.count === 0) return `None of them has ${version} yet.`
  if (installed.exact && installed.count === matched.count) return `All of them have ${version} already.`
  const have = installed.exact && installed.count === 1 ? 'has' : 'have'
  return `${capitalized(counted(installed))} of ${counted(matched)} ${have} ${version} already.`
}
