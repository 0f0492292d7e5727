/** The number of devices that have a release's version now: in words, and over time. */
import type { ReleaseDetail } from '@/api/schemas'
import { UNDER_WAY } from '@/lib/releaseState'

type Known = Pick<ReleaseDetail, 'having' | 'withdrawal' | 'version' | 'app' | 'figures' | 'state'>

/** What follows the number: "devices of market have 1.1.0 now". */
export function havingWords({ having, version, app }: Known): string {
  return having?.devices === 1 ? `device of ${app} has ${version} now` : `devices of ${app} have ${version} now`
}

/** Whether the withdrawal's count is the number, so that it need not be said twice. */
export function isWithdrawn({ having, withdrawal }: Known): boolean {
  return withdrawal !== null && withdrawal.remaining === having?.devices
}

/** Whether the number of now is the end of the curve: that of a release which ended long ago ends then. */
export function isLive({ state, withdrawal }: Pick<Known, 'state' | 'withdrawal'>): boolean {
  return withdrawal !== null || state === 'complete' || UNDER_WAY.includes(state)
}

/**
 * Returns the devices that had the version at each moment: those that had installed it, as it was taken back those that
 * still had it, and last those that have it now.
 */
export function havingAt(
  times: readonly number[],
  installed: readonly number[],
  release: Pick<Known, 'having' | 'withdrawal' | 'state'>,
): number[] {
  const { having, withdrawal } = release
  const curve = withdrawal?.curve ?? []
  const counts = times.map((time, index) => {
    const [, remaining] = curve.findLast(([at]) => at !== undefined && at <= time) ?? []
    return remaining ?? installed[index] ?? 0
  })
  if (having && isLive(release) && counts.length > 0) counts[counts.length - 1] = having.devices
  return counts
}
