/** The recent pages of one person in this browser, newest first. */
type Visited = { path: string; title: string }

const PREFIX = 'walle-recent '
const MOST = 8
let person = ''

/** Switches to this person: the recent pages of others are private. */
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
    // The browser stores nothing, or its storage is full: recent pages are not essential.
  }
}

function isVisited(value: unknown): value is Visited {
  const { path, title } = (value ?? {}) as Record<string, unknown>
  return typeof path === 'string' && path.startsWith('/') && typeof title === 'string'
}
