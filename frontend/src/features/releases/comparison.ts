import { count, partOf, plural } from '@/lib/format'
import type { ArmFigures, Figures, RunTimes } from './figures'

export type Row = { name: string; treatment: string; control: string }

const ROWS: [name: string, of: (arm: ArmFigures) => string][] = [
  ['Selected', ({ drawn }) => count(drawn)],
  ['Reported', ({ reported }) => count(reported)],
  ['Failed', ({ failed, reported }) => share(failed, reported)],
  ['Silent', ({ silent, due }) => share(silent, due)],
]

/** Returns both arms side by side; durations of cold and warm runs apart, where any run was warm. */
export function compared({ treatment, control }: Figures): Row[] {
  const times =
    treatment.warm.p50 === null && control.warm.p50 === null
      ? timesOf('Run time', ({ cold }) => cold)
      : [...timesOf('Cold run time', ({ cold }) => cold), ...timesOf('Warm run time', ({ warm }) => warm)]
  return [...ROWS, ...times].map(([name, of]) => ({ name, treatment: of(treatment), control: of(control) }))
}

function timesOf(name: string, of: (arm: ArmFigures) => RunTimes): [name: string, of: (arm: ArmFigures) => string][] {
  return [
    [`${name}, median`, (arm) => milliseconds(of(arm).p50)],
    [`${name}, 95th percentile`, (arm) => ofEnough(arm, 20, of(arm).p95)],
    [`${name}, 99th percentile`, (arm) => ofEnough(arm, 100, of(arm).p99)],
  ]
}

/** A percentile of fewer reports than that would be the slowest of them. */
function ofEnough({ reported }: ArmFigures, least: number, value: number | null): string {
  return reported < least && value !== null ? `of ${least} reports` : milliseconds(value)
}

/** Explains the devices that verdicts do not count. */
export function notCounted({ drawn, reported, failed }: ArmFigures): string {
  const [are, them] = drawn === 1 ? ['of these devices is new, and nobody vouches for it', 'it'] : NEW
  const outcomes = reported === 0 ? 'none has reported' : `${count(reported)} reported, ${count(failed)} failed`
  return `${count(drawn)} ${are}: ${outcomes}. Verdicts do not count ${them}.`
}

/** Says how many devices put the version off, and why; null if none does. */
export function deferredText({ deferred, treatment }: Figures): string | null {
  if (treatment.deferred === 0) return null
  const reasons = deferred.map(([reason, devices]) => `${count(devices)} ${reason}`).join(', ')
  const [put, them] = treatment.deferred === 1 ? ['puts', 'It checks in, and the verdict does not count it.'] : PUT_OFF
  return `${plural(treatment.deferred, 'device')} ${put} the version off for now: ${reasons}. ${them}`
}

const PUT_OFF = ['put', 'They check in, and the verdict does not count them.'] as const
const NEW = ['of these devices are new, and nobody vouches for them', 'them'] as const

function share(part: number, whole: number): string {
  return whole === 0 ? '–' : partOf(part, whole)
}

function milliseconds(value: number | null): string {
  return value === null ? '–' : `${Number(value.toPrecision(3))} ms`
}
