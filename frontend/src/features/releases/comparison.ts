import { count, partOf } from '@/lib/format'
import type { ArmFigures, Figures } from './figures'

export type Row = { name: string; treatment: string; control: string }

const ROWS: [name: string, of: (arm: ArmFigures) => string][] = [
  ['Selected', ({ drawn }) => count(drawn)],
  ['Reported', ({ reported }) => count(reported)],
  ['Failed', ({ failed, reported }) => share(failed, reported)],
  ['Silent', ({ silent, due }) => share(silent, due)],
  ['Run time, median', ({ p50 }) => milliseconds(p50)],
  ['Run time, 95th percentile', ({ p95 }) => milliseconds(p95)],
  ['Run time, 99th percentile', ({ p99 }) => milliseconds(p99)],
]

/** Returns both arms side by side. */
export function compared({ treatment, control }: Figures): Row[] {
  return ROWS.map(([name, of]) => ({ name, treatment: of(treatment), control: of(control) }))
}

/** Explains the devices that verdicts do not count. */
export function notCounted({ drawn, reported, failed }: ArmFigures): string {
  const [are, them] = drawn === 1 ? ['of these devices is new, and nobody vouches for it', 'it'] : NEW
  const outcomes = reported === 0 ? 'none has reported' : `${count(reported)} reported, ${count(failed)} failed`
  return `${count(drawn)} ${are}: ${outcomes}. Verdicts do not count ${them}.`
}

const NEW = ['of these devices are new, and nobody vouches for them', 'them'] as const

function share(part: number, whole: number): string {
  return whole === 0 ? '–' : partOf(part, whole)
}

function milliseconds(value: number | null): string {
  return value === null ? '–' : `${Number(value.toPrecision(3))} ms`
}
