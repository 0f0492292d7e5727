/** The part of the time that the charts of a page show, in its address: `from` and `to`, whole seconds since 1970. */
import type { TimeRange } from './eventGroups'
import { text } from './search'

export type TimePartSearch = { from?: string | undefined; to?: string | undefined }

const SECONDS = /^\d{1,10}$/

/** Reads it from an address; what is no time, or ends before it begins, is left out. */
export function readTimePart(search: Record<string, unknown>): TimePartSearch {
  const [from, to] = [text(search, 'from'), text(search, 'to')]
  return from && to && SECONDS.test(from) && SECONDS.test(to) && Number(from) < Number(to) ? { from, to } : {}
}

export function timePartOf({ from, to }: TimePartSearch): TimeRange | null {
  return from === undefined || to === undefined ? null : [Number(from), Number(to)]
}

/** Returns the whole seconds that contain a part; undefined, which an address leaves out, for none. */
export function timePartSearch(part: TimeRange | null): TimePartSearch {
  return { from: part ? String(Math.floor(part[0])) : undefined, to: part ? String(Math.ceil(part[1])) : undefined }
}
