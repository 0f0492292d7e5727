/** Pages that one person looked at last in this browser, newest first. */
type Visited = { path: string; title: string }

const PREFIX = 'walle-recent '
const MOST = 8
let person = ''

/** From now on it is this person who looks: the pages of others are not theirs to know of. */
export function recentOf(username: string): void {
  person = username
}

export function recent(storage: Storage = localStorage): Visited[] {
  try {
    const kept: unknown = JSON.parse(storage.getItem(PREFIX + person) ?? '[]')
    return Array.isArray(kept) ? kept.filter(isVisited) : []
  } catch {
    return []
  }
}

export function remember(visited: Visited, storage: Storage = localStorage): void {
  const others = recent(storage).filter(({ path }) => path !== visited.path)
  try {
    storage.setItem(PREFIX + person, JSON.stringify([visited, ...others].slice(0, MOST)))
  } catch {
    // The browser keeps nothing, or its store is full: a page is worth more than its place in the palette.
  }
}

function isVisited(value: unknown): value is Visited {
  const { path, title } = (value ?? {}) as Record<string, unknown>
  return typeof path === 'string' && path.startsWith('/') && typeof title === 'string'
}
