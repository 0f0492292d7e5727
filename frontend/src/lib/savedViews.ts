/** Named views of a table, each the query of the page's address, of one person in this browser. */
export type View = { name: string; query: string }

const PREFIX = 'walle-views '
const MOST = 20
export const LONGEST_NAME = 60

function keyOf(table: string, username: string): string {
  return `${PREFIX}${table} ${username}`
}

/** Returns the views by name. */
export function savedViews(table: string, username: string, storage: Storage = localStorage): View[] {
  try {
    const kept: unknown = JSON.parse(storage.getItem(keyOf(table, username)) ?? '[]')
    return Array.isArray(kept) ? kept.filter(isView) : []
  } catch {
    return []
  }
}

/** Keeps the views; false where the browser stores nothing. */
export function keepViews(
  table: string,
  username: string,
  views: readonly View[],
  storage: Storage = localStorage,
): boolean {
  try {
    storage.setItem(keyOf(table, username), JSON.stringify(views))
    return true
  } catch {
    return false
  }
}

/** Adds a view, in place of one of the same name; null where there are too many. */
export function withView(views: readonly View[], added: View): View[] | null {
  const others = views.filter(({ name }) => name !== added.name)
  if (others.length >= MOST) return null
  return [...others, added].sort((one, other) => one.name.localeCompare(other.name))
}

function isView(value: unknown): value is View {
  const { name, query } = (value ?? {}) as Record<string, unknown>
  return typeof name === 'string' && typeof query === 'string'
}
