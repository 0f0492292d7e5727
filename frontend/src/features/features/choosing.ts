/** Which features are chosen, and which of those that arrive are among them. */
import type { Schemas } from '@/api/schemas'
import type { FeatureSearch } from './search'

export type Feature = Schemas['FeatureRow']
/** The filters that choose features. */
export type Chosen = { app?: string; device?: string; task?: string; version?: string }

/** The number of features that are kept of those that arrived while somebody looked. */
const MOST_KEPT = 200

export const SPANS = { '15m': 15, '1h': 60, '6h': 360, '24h': 1440 } as const
export type Span = keyof typeof SPANS

/** Returns the time span of the charts in an address; the usual one for any other text. */
export function spanOf(search: FeatureSearch): Span {
  return search.span !== undefined && Object.hasOwn(SPANS, search.span) ? (search.span as Span) : '1h'
}

/** Returns the API's query for these features. */
export function chosenBy({ app, device, task, version }: FeatureSearch): Chosen {
  return Object.fromEntries(Object.entries({ app, device, task, version }).filter(([, value]) => value !== undefined))
}

/** Adds features that have arrived to those known, newest first; those known already are not added again. */
export function withArrivals(known: readonly Feature[], arrived: readonly Feature[]): readonly Feature[] {
  const ids = new Set(known.map(({ id }) => id))
  const fresh = arrived.filter(({ id }) => !ids.has(id))
  return fresh.length === 0 ? known : [...fresh, ...known].sort((a, b) => b.id - a.id).slice(0, MOST_KEPT)
}

/** Returns the read features, with those before them that have arrived since and are chosen. */
export function mergeFeatures(
  read: readonly Feature[],
  arrived: readonly Feature[],
  chosen: Chosen,
): readonly Feature[] {
  const newest = read[0]?.id ?? 0
  const fits = (feature: Feature) =>
    (Object.keys(chosen) as (keyof Chosen)[]).every((name) => feature[name] === chosen[name])
  return [...arrived.filter((feature) => feature.id > newest && fits(feature)), ...read]
}
