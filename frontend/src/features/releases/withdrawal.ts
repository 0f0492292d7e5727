/** A rolled-back version on its way off the devices, in words and as a curve. */
import type { Schemas } from '@/api/schemas'
import type { ChartSeries } from '@/lib/chartOptions'
import { count, plural } from '@/lib/format'
import { duration } from '@/lib/time'
import type { Columns } from '@/lib/seriesBuffer'

export type Withdrawal = Schemas['Withdrawal']

export const REMAINING: readonly ChartSeries[] = [{ label: 'Have it now', tone: 'bad', stepped: true }]

/** Returns the devices that still had the version at each moment; the last count holds until now. */
export function remainingColumns({ curve, counted_at: countedAt }: Withdrawal): Columns {
  const points = curve.map(([at, devices]) => [at ?? 0, devices ?? 0] as const)
  const last = Math.floor(Date.parse(countedAt) / 1000)
  const [end] = points.slice(-1)
  const all = end && last > end[0] ? [...points, [last, end[1]] as const] : points
  return [all.map(([at]) => at), all.map(([, devices]) => devices)]
}

/** Returns how many devices still have the version: `12 of 32`. */
export function stillOnIt({ remaining, devices }: Withdrawal): string {
  return `${count(remaining)} of ${count(devices)}`
}

/** Returns when no device will have it, as far as that is known; `now` in milliseconds. */
export function untilNone(withdrawal: Withdrawal, now: number): string {
  const { remaining, offline, curve, told_by: toldBy, began_at: beganAt, ended_at: endedAt } = withdrawal
  const since = Date.parse(beganAt) / 1000
  if (endedAt && remaining > 0) return 'The version may be released again, so it is no longer withdrawn.'
  if (endedAt) return `No device has it any more, ${duration((curve.at(-1)?.[0] ?? since) - since)} after the rollback.`
  const left = Math.ceil((Date.parse(toldBy) - now) / 1000)
  if (left > 0) return `In ${duration(left)} at the latest, no device that can be reached has it any more.`
  const others = remaining - offline
  const away =
    offline === 0
      ? ''
      : `${plural(offline, 'device')} ${offline === 1 ? 'is' : 'are'} offline: they give it up at their next check-in.`
  const keep =
    others === 0
      ? ''
      : `${plural(others, 'device')} ${others === 1 ? 'has' : 'have'} checked in since, and ${others === 1 ? 'keeps' : 'keep'} it: see what they report.`
  return [keep, away].filter(Boolean).join(' ')
}
