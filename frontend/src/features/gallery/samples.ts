/** What components are shown with: the same at each visit, and after as many steps. */
import type { ChartEvent } from '@/lib/chartMarks'
import type { Columns } from '@/lib/seriesBuffer'

/** Seconds since 1970: 15 January 2026, 12:00 UTC. */
export const BEGIN = 1_768_478_400
export const STEP_S = 5
export const POINTS = 120

/** Returns a value that goes up and down, between 0 and 40. */
export function valueAt(step: number, series = 0): number {
  return 20 + Math.round(14 * Math.sin(step / 9 + series) + 6 * Math.sin(step / 2.3 + 2 * series))
}

/** Returns the time of a step. */
export function timeAt(step: number): number {
  return BEGIN + step * STEP_S
}

/** Returns the columns of a chart; `gap` says at which steps nothing is known. */
export function columnsOf(series: number, points = POINTS, gap: (step: number) => boolean = () => false): Columns {
  const steps = Array.from({ length: points }, (_, step) => step)
  const values = Array.from({ length: series }, (_, each) =>
    steps.map((step) => (gap(step) ? null : valueAt(step, each))),
  )
  return [steps.map(timeAt), ...values]
}

/** A share with the bounds of what it may be, which come nearer to it. */
export function bandColumns(): Columns {
  const steps = Array.from({ length: POINTS }, (_, step) => step)
  const value = (step: number) => 0.01 + 0.004 * Math.sin(step / 20)
  const bound = (step: number) => 0.04 / Math.sqrt(step + 1)
  return [
    steps.map(timeAt),
    steps.map(value),
    steps.map((step) => Math.max(0, value(step) - bound(step))),
    steps.map((step) => value(step) + bound(step)),
  ]
}

export const EVENTS: readonly ChartEvent[] = [
  { at: timeAt(10), label: 'camera/digits 1.2.0 started', tone: 'running' },
  { at: timeAt(40), label: 'camera/digits 1.2.0 → gray 20 %', tone: 'running' },
  { at: timeAt(41), label: 'comments/sentiment 3.1.0 paused', tone: 'attention' },
  {
    at: timeAt(42),
    label: 'camera/digits 1.2.0 rolled back: 5 of 50 devices failed (10 %); the limit is 1 %',
    tone: 'bad',
  },
  { at: timeAt(90), label: 'shop/recommend 2.0.0 complete', tone: 'ok' },
]

/** A row as lists have them. */
export type Sample = { id: number; name: string; about: string; devices: number | null; seen: string | null }

const WORDS = ['digits', 'sentiment', 'recommend', 'brightness', 'mood', 'search']
export const LONG =
  'a-name-without-any-place-to-break-it-that-goes-on-and-on-0123456789 and a sentence after it, in which there are many words, so that a cell cannot hold them'

/** Returns so many rows; each seventh lacks what may be missing, and each fifth is long. */
export function rowsOf(length: number, now: number): Sample[] {
  return Array.from({ length }, (_, id) => ({
    id,
    name: `${WORDS[id % WORDS.length] ?? ''}-${id}`,
    about: id % 5 === 4 ? LONG : 'What it is for',
    devices: id % 7 === 6 ? null : 1 + ((id * 7919) % 100_003),
    seen: id % 7 === 6 ? null : new Date(now - id * 97_000).toISOString(),
  }))
}

/** Returns the rows by name or devices, as the API orders them: "devices", or "-devices" if descending. */
export function ordered(rows: readonly Sample[], order: string | undefined): readonly Sample[] {
  if (order === undefined) return rows
  const sign = order.startsWith('-') ? -1 : 1
  const key = order.replace('-', '') === 'devices' ? 'devices' : 'name'
  return [...rows].sort((one, other) => {
    const [a, b] = [one[key], other[key]]
    // What is missing comes last, in both directions.
    if (a === null || b === null) return Number(a === null) - Number(b === null)
    return sign * (typeof a === 'string' ? a.localeCompare(String(b)) : a - Number(b))
  })
}
