/**
 * Parses the query of a page's address: texts, and lists by repeating the name.
 *
 * Addresses stay as people write them (`?version=1.0.0&state=gray&state=full`): nothing is converted to a number.
 */
export type Search = Record<string, string | string[]>

export function parseSearch(query: string): Search {
  const found: Search = {}
  for (const [name, value] of new URLSearchParams(query)) {
    const before = found[name]
    found[name] = before === undefined ? value : [before, value].flat()
  }
  return found
}

export function stringifySearch(search: Record<string, unknown>): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(search)) {
    for (const item of Array.isArray(value) ? (value as unknown[]) : [value]) {
      if (typeof item === 'string' ? item !== '' : typeof item === 'number' || item === true)
        query.append(name, String(item))
    }
  }
  const text = query.toString()
  return text ? `?${text}` : ''
}

/** Returns one text, or undefined, for a route's `validateSearch`. */
export function text(search: Record<string, unknown>, name: string): string | undefined {
  const value = search[name]
  const first: unknown = Array.isArray(value) ? value[0] : value
  return typeof first === 'string' && first !== '' ? first : undefined
}

/** Returns all texts of this name. */
export function texts(search: Record<string, unknown>, name: string): string[] | undefined {
  const found = [search[name]].flat().filter((each): each is string => typeof each === 'string' && each !== '')
  return found.length > 0 ? found : undefined
}

/** Returns one of some words, or undefined. */
export function choice<Word extends string>(
  search: Record<string, unknown>,
  name: string,
  words: readonly Word[],
): Word | undefined {
  const found = text(search, name)
  return words.find((word) => word === found)
}
