/** How a task runs, drawn: where times stand on a logarithmic scale, and what devices and causes are called. */
import { percent, share } from '@/lib/format'
import type { TaskRuns } from './queries'

export const PERIODS = [1, 7, 30] as const
export const USUAL_DAYS = 7

export type ClassRuns = TaskRuns['all']
export type StartRuns = ClassRuns['cold']
export type Quantiles = NonNullable<StartRuns['duration_ms']>

/** From where to where the picture reaches, in milliseconds: whole powers of ten. */
export type Scale = { from: number; to: number }

/** A scale with room for all run times; null if there are none. */
export function scaleOf(classes: readonly ClassRuns[]): Scale | null {
  const times = classes
    .flatMap(({ cold, warm }) => [cold.duration_ms, warm.duration_ms])
    .filter((each) => each !== null)
  if (times.length === 0) return null
  const from = 10 ** Math.floor(Math.log10(Math.min(...times.map(({ p50 }) => p50))))
  const to = 10 ** Math.ceil(Math.log10(Math.max(...times.map(({ p99 }) => p99))))
  return { from, to: Math.max(to, from * 10) }
}

/** Where a time stands between 0 and 1. */
export function placeOf(milliseconds: number, { from, to }: Scale): number {
  return Math.log(milliseconds / from) / Math.log(to / from)
}

/** The powers of ten on the scale, ends included. */
export function ticksOf({ from, to }: Scale): number[] {
  const decades = Math.round(Math.log10(to / from))
  return Array.from({ length: decades + 1 }, (_, decade) => from * 10 ** decade)
}

/** "5.2 ms", "1.5 s" */
export function runTime(milliseconds: number): string {
  const [value, unit] = milliseconds < 1000 ? [milliseconds, 'ms'] : [milliseconds / 1000, 's']
  return `${Number(value.toPrecision(3))} ${unit}`
}

/** What a class of devices is called. */
export function className({ os, performance }: Pick<ClassRuns, 'os' | 'performance'>): string {
  const parts = [os === 'other' ? 'another system' : os, SPEEDS[performance] ?? 'of another speed']
  return parts.filter(Boolean).join(', ') || 'not said'
}

const SPEEDS: Record<string, string> = { '': '', low: 'slow', mid: 'medium', high: 'fast' }

/** The causes for which kept VMs ended: "idle 12 (75 %), killed 4 (25 %)". */
export function endsText({ vm_ends: ends }: Pick<ClassRuns, 'vm_ends'>): string {
  const all = ends.reduce((sum, { count }) => sum + count, 0)
  return ends.map(({ cause, count }) => `${cause} ${count} (${percent(share(count, all), 0)})`).join(', ')
}
