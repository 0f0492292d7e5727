/** Which features: the page's address. */
import { text } from '@/lib/search'
import { readTimePart, type TimePartSearch } from '@/lib/timePart'

const NAMES = ['app', 'device', 'task', 'version', 'span', 'feature'] as const

/** `span` is the time span of the charts, of which `from` and `to` show a part, `feature` the number of the one that is opened. */
export type FeatureSearch = Partial<Record<(typeof NAMES)[number], string | undefined>> & TimePartSearch

/** Implements the route's `validateSearch`. */
export function readFeatureSearch(search: Record<string, unknown>): FeatureSearch {
  return { ...Object.fromEntries(NAMES.map((name) => [name, text(search, name)])), ...readTimePart(search) }
}
