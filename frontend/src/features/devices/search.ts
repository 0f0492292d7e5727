/** The search for devices: the page's address and the query of the API. */
import type { RequestParams } from '@/api/reading'
import type { ColumnsSearch } from '@/lib/columns'
import { choice, text, texts } from '@/lib/search'

/** `where`: conditions on facts, each `<fact>=<value>`, such as `model=Pixel 8` or `user.age_band=18-29`. */
export type DevicesSearch = ColumnsSearch & {
  app?: string | undefined
  q?: string | undefined
  app_version?: string | undefined
  os?: string | undefined
  task?: string | undefined
  version?: string | undefined
  /** Timestamps in the API's format. */
  seen_since?: string | undefined
  seen_before?: string | undefined
  revoked?: 'true' | 'false' | undefined
  /** A targeting rule in JSON; requires `app`. */
  rule?: string | undefined
  where?: string[] | undefined
}

export type Condition = { fact: string; value: string }
export type DevicesQuery = Omit<NonNullable<RequestParams<'/api/v1/devices'>['query']>, 'cursor' | 'limit'>

const PLAIN = ['app', 'q', 'app_version', 'os', 'task', 'version', 'seen_since', 'seen_before', 'rule'] as const

/** Implements the route's `validateSearch`. */
export function readSearch(search: Record<string, unknown>): DevicesSearch {
  return {
    ...Object.fromEntries(PLAIN.map((name) => [name, text(search, name)])),
    revoked: choice(search, 'revoked', ['true', 'false']),
    where: texts(search, 'where'),
    columns: text(search, 'columns'),
  }
}

/** Returns the API's query for these devices, equal for equal searches, whatever the order of their parts. */
export function queryOf(search: DevicesSearch): DevicesQuery {
  const facts = conditionsOf(search.where).map(({ fact, value }) => [`fact.${fact}`, value] as const)
  return {
    ...Object.fromEntries(PLAIN.flatMap((name) => (search[name] === undefined ? [] : [[name, search[name]]]))),
    ...(search.revoked === undefined ? {} : { revoked: search.revoked === 'true' }),
    ...(facts.length === 0 ? {} : { facts: Object.fromEntries(facts) }),
  }
}

/** Returns whether the search has any criteria besides the app. */
export function isNarrowed(search: DevicesSearch): boolean {
  return Object.keys(queryOf(search)).some((name) => name !== 'app')
}

/** Parses one condition per fact: of several about one, the last counts. */
export function conditionsOf(where: readonly string[] | undefined): Condition[] {
  const found = new Map<string, string>()
  for (const written of where ?? []) {
    const at = written.indexOf('=')
    const fact = (at < 0 ? written : written.slice(0, at)).trim().replace(/^fact\./, '')
    found.set(fact, at < 0 ? '' : written.slice(at + 1))
  }
  return [...found].map(([fact, value]) => ({ fact, value }))
}

export function written({ fact, value }: Condition): string {
  return `${fact}=${value}`
}

/** Adds this condition, replacing another about the same fact. */
export function withCondition(where: readonly string[] | undefined, condition: Condition): string[] {
  return [...(withoutFact(where, condition.fact) ?? []), written(condition)]
}

export function withoutFact(where: readonly string[] | undefined, fact: string): string[] | undefined {
  const left = conditionsOf(where).filter((each) => each.fact !== fact)
  return left.length === 0 ? undefined : left.map(written)
}

/** An earlier moment to explain, as a timestamp; without it, the next check-in. */
export type DeviceSearch = { at?: string | undefined }

export function readDeviceSearch(search: Record<string, unknown>): DeviceSearch {
  const at = text(search, 'at')
  return { at: at !== undefined && !Number.isNaN(Date.parse(at)) ? at : undefined }
}
