/** What devices are looked for: what the page's address holds, in the words of the API, and how the API is asked. */
import type { RequestParams } from '@/api/reading'
import { choice, text, texts } from '@/lib/search'

/** `where`: conditions on facts, each `<fact>=<value>`, such as `model=Pixel 8` or `user.age_band=18-29`. */
export type DevicesSearch = {
  app?: string | undefined
  q?: string | undefined
  app_version?: string | undefined
  os?: string | undefined
  task?: string | undefined
  version?: string | undefined
  /** Moments, as the API takes them. */
  seen_since?: string | undefined
  seen_before?: string | undefined
  revoked?: 'true' | 'false' | undefined
  /** A targeting rule in JSON; takes `app`. */
  rule?: string | undefined
  where?: string[] | undefined
}

export type Condition = { fact: string; value: string }
export type DevicesQuery = Omit<NonNullable<RequestParams<'/api/v1/devices'>['query']>, 'cursor' | 'limit'>

const PLAIN = ['app', 'q', 'app_version', 'os', 'task', 'version', 'seen_since', 'seen_before', 'rule'] as const

/** For the route's `validateSearch`. */
export function readSearch(search: Record<string, unknown>): DevicesSearch {
  return {
    ...Object.fromEntries(PLAIN.map((name) => [name, text(search, name)])),
    revoked: choice(search, 'revoked', ['true', 'false']),
    where: texts(search, 'where'),
  }
}

/** The query that asks the API for these devices; the same of one search each time, whatever the order of its parts. */
export function queryOf(search: DevicesSearch): DevicesQuery {
  const facts = conditionsOf(search.where).map(({ fact, value }) => [`fact.${fact}`, value] as const)
  return {
    ...Object.fromEntries(PLAIN.flatMap((name) => (search[name] === undefined ? [] : [[name, search[name]]]))),
    ...(search.revoked === undefined ? {} : { revoked: search.revoked === 'true' }),
    ...(facts.length === 0 ? {} : { facts: Object.fromEntries(facts) }),
  }
}

/** Whether anything but the app is asked for. */
export function isNarrowed(search: DevicesSearch): boolean {
  return Object.keys(queryOf(search)).some((name) => name !== 'app')
}

/** One condition per fact: of several about one, the last counts. */
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

/** With this condition, in place of another about the same fact. */
export function withCondition(where: readonly string[] | undefined, condition: Condition): string[] {
  return [...(withoutFact(where, condition.fact) ?? []), written(condition)]
}

export function withoutFact(where: readonly string[] | undefined, fact: string): string[] | undefined {
  const left = conditionsOf(where).filter((each) => each.fact !== fact)
  return left.length === 0 ? undefined : left.map(written)
}
