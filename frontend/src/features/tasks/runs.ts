/** How a task runs, in words: its times, and what devices and causes are called. */
import { percent, share } from '@/lib/format'
import type { Quantiles } from '@/lib/logScale'
import type { TaskRuns } from './queries'

export const PERIODS = [1, 7, 30] as const
export const USUAL_DAYS = 7

export type ClassRuns = TaskRuns['all']

/** "5.2 ms", "1.5 s" */
export function runTime(milliseconds: number): string {
  const [value, unit] = milliseconds < 1000 ? [milliseconds, 'ms'] : [milliseconds / 1000, 's']
  return `${Number(value.toPrecision(3))} ${unit}`
}

/** "4.1 ms / 5 ms / 7.2 ms" */
export function timesText({ p50, p90, p99 }: Quantiles): string {
  return [p50, p90, p99].map(runTime).join(' / ')
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
