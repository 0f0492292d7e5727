import { choice, text } from '@/lib/search'
import { SPANS, type Span } from './spans'

/** `span` is the time span of the charts. */
export type FleetSearch = { app?: string | undefined; span?: Span | undefined }

export function readFleetSearch(search: Record<string, unknown>): FleetSearch {
  return { app: text(search, 'app'), span: choice(search, 'span', SPANS) }
}
