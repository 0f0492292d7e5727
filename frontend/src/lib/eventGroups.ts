/** Events of a time axis, of which those that would touch each other are one group. */
import type { ChartEvent } from './chartMarks'
import type { Tone } from './tone'

/** `at` is the place of its first event on the axis, between 0 and 1. */
export type EventGroup = { at: number; tone: Tone; events: readonly ChartEvent[] }
/** Seconds since 1970. */
export type TimeRange = readonly [from: number, to: number]

/** The most urgent one is that of a group. */
const URGENT_FIRST: readonly Tone[] = ['bad', 'attention', 'running', 'ok', 'none']

/** Groups the events in a range: one belongs to a group if it is at most `near`, a share of the range, after its first. */
export function groupEvents(events: readonly ChartEvent[], [from, to]: TimeRange, near: number): EventGroup[] {
  const groups: { at: number; events: ChartEvent[] }[] = []
  const shown = events.filter(({ at }) => at >= from && at <= to).sort((one, other) => one.at - other.at)
  for (const event of shown) {
    const at = to > from ? (event.at - from) / (to - from) : 0
    const last = groups.at(-1)
    if (last && at - last.at <= near) last.events.push(event)
    else groups.push({ at, events: [event] })
  }
  return groups.map((group) => ({ ...group, tone: mostUrgent(group.events) }))
}

function mostUrgent(events: readonly ChartEvent[]): Tone {
  return URGENT_FIRST.find((tone) => events.some((event) => event.tone === tone)) ?? 'none'
}
