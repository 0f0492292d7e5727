import { choice, text } from '@/lib/search'
import { SPANS, type Span } from './spans'

/** `span`: how far back the charts reach. */
export type FleetSearch = { app?: string | undefined; span?: Span | undefined }

export function readFleetSearch(search: Record<string, unknown>): FleetSearch {
  return { app: text(search, 'app'), span: choice(search, 'span', SPANS) }
}
