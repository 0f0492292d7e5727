import { choice, text } from '@/lib/search'
import { readTimePart, type TimePartSearch } from '@/lib/timePart'
import { SPANS, type Span } from './spans'

/** `span` is the time span of the charts, of which `from` and `to` show a part. */
export type FleetSearch = { app?: string | undefined; span?: Span | undefined } & TimePartSearch

export function readFleetSearch(search: Record<string, unknown>): FleetSearch {
  return { app: text(search, 'app'), span: choice(search, 'span', SPANS), ...readTimePart(search) }
}
