/** The activity of the fleet as read by REST, continued by the rates of the live channel. */
import type { Schemas } from '@/api/schemas'

export type Activity = Schemas['Pulse']
export type Rates = Schemas['Rates']

const NAMES = [
  'check_ins',
  'offers',
  'installs',
  'failures',
  'registered',
  'enrolled_by_key',
  'enrolled_by_statement',
  'enrolments_refused',
] as const
/** Seconds between two messages of rates. */
const RATES_INTERVAL_S = 5
/** The number of stored rates: 20 minutes of them, longer than the longest step. */
const REMEMBERED = 240

/** Appends rates to the known ones; returns the same list if they are not newer. */
export function appendRates(known: readonly Rates[], rates: Rates): readonly Rates[] {
  const last = known.at(-1)
  if (last && Date.parse(rates.at) <= Date.parse(last.at)) return known
  return [...known, rates].slice(-REMEMBERED)
}

/** Appends steps that began after the reading, each the mean of its rates. */
export function extendActivity(activity: Activity, live: readonly Rates[]): Activity {
  const since = (activity.at.at(-1) ?? 0) + activity.step_s
  const steps = new Map<number, Rates[]>()
  for (const rates of live) {
    const start = Date.parse(rates.at) / 1000 - RATES_INTERVAL_S
    const step = Math.floor(start / activity.step_s) * activity.step_s
    if (step >= since) steps.set(step, [...(steps.get(step) ?? []), rates])
  }
  const later = [...steps].sort(([one], [other]) => one - other)
  const columns = NAMES.map(
    (name) => [name, [...activity[name], ...later.map(([, rates]) => mean(rates, name))]] as const,
  )
  return { ...activity, at: [...activity.at, ...later.map(([at]) => at)], ...Object.fromEntries(columns) }
}

function mean(rates: readonly Rates[], name: (typeof NAMES)[number]): number {
  return rates.reduce((sum, each) => sum + each[name], 0) / rates.length
}
