import { count, plural } from '@/lib/format'
import { partOfSample, percentile, type PERCENTILE_FROM } from '@/lib/rounding'
import type { ArmFigures, Counts, Figures, RunTimes } from './figures'

/** An arm at the decision, as far as that was counted then, and now. */
type Moments = { decided: string; now: string }
export type Row = { name: string; treatment: Moments; control: Moments }

const ROWS: [name: string, of: (arm: Counts) => string][] = [
  ['Selected', ({ drawn }) => count(drawn)],
  ['Reported', ({ reported }) => count(reported)],
  ['Failed', ({ failed, reported }) => partOfSample(failed, reported)],
  ['Silent', ({ silent, due }) => partOfSample(silent, due)],
]

/** What the last verdict counted; null: there is none yet. */
export type Decided = { treatment: Counts; control: Counts | null } | null

/**
 * Returns both arms side by side, each at the last decision and now. Run times, of cold and warm runs apart where any
 * run was warm, are not kept with a decision.
 */
export function compared({ treatment, control }: Figures, decided: Decided): Row[] {
  const counts = ROWS.map(([name, of]) => ({
    name,
    treatment: { decided: decided ? of(decided.treatment) : NONE, now: of(treatment) },
    control: { decided: decided?.control ? of(decided.control) : NONE, now: of(control) },
  }))
  const times =
    treatment.warm.p50 === null && control.warm.p50 === null
      ? timesOf('Run time', ({ cold }) => cold)
      : [...timesOf('Cold run time', ({ cold }) => cold), ...timesOf('Warm run time', ({ warm }) => warm)]
  const rows = times.map(([name, of]) => ({
    name,
    treatment: { decided: NONE, now: of(treatment) },
    control: { decided: NONE, now: of(control) },
  }))
  return [...counts, ...rows]
}

const NONE = '–'

function timesOf(name: string, of: (arm: ArmFigures) => RunTimes): [name: string, of: (arm: ArmFigures) => string][] {
  const shown = (which: keyof typeof PERCENTILE_FROM) => (arm: ArmFigures) =>
    percentile(which, of(arm)[which], of(arm).timed)
  return [
    [`${name}, median`, shown('p50')],
    [`${name}, 95th percentile`, shown('p95')],
    [`${name}, 99th percentile`, shown('p99')],
  ]
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
