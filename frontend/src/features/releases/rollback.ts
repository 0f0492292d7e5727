/** The effects of a rollback, in words. */
import type { Schemas } from '@/api/schemas'
import { plural } from '@/lib/format'

export type RollbackPlan = Schemas['RollbackPlan']

/** Describes where devices return to, the quarantine, the devices with the version, and what else stops. */
export function rollbackWords(plan: RollbackPlan, app: string): string {
  const { version, devices, held } = plan
  return [
    `${destination(plan)}, and ${version} ${plan.is_quarantined ? 'stays in' : 'goes into'} quarantine.`,
    `${installedOn(devices)} it now in ${app}, from this or another release.`,
    ...(held.length === 0 ? [] : [`Releases of the same version that are paused as well: ${named(held)}.`]),
  ].join(' ')
}

/** Names the version if a rollback also takes it from devices of an earlier release; '' otherwise. */
export function takenAlong({ version, withdrawn }: RollbackPlan): string {
  if (withdrawn.length === 0) return ''
  const those = withdrawn.length === 1 ? 'that one' : 'those'
  return `${version} was released before: ${named(withdrawn)}. Devices lose it from ${those} as well.`
}

function destination({ version, goes_back_to: found, lose_it: someLoseIt }: RollbackPlan): string {
  const ways = found.map((each) =>
    each.version === version
      ? `keep it from release ${each.release}`
      : `return to ${each.version} (release ${each.release})`,
  )
  return `Devices ${[...ways, ...(someLoseIt ? ['lose the task'] : [])].join(' or ')}`
}

function installedOn(devices: number): string {
  if (devices === 0) return 'No device has'
  return `${plural(devices, 'device')} ${devices === 1 ? 'has' : 'have'}`
}

function named(those: RollbackPlan['held']): string {
  return those.map(({ release, app }) => `release ${release} to ${app}`).join(', ')
}
