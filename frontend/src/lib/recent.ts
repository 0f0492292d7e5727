/** Pages that were looked at last, newest first; kept in this browser. */
export type Visited = { path: string; title: string }

const KEY = 'walle-recent'
const MOST = 8

export function recent(storage: Storage = localStorage): Visited[] {
  try {
    const kept: unknown = JSON.parse(storage.getItem(KEY) ?? '[]')
    return Array.isArray(kept) ? kept.filter(isVisited) : []
  } catch {
    return []
  }
}

export function remember(visited: Visited, storage: Storage = localStorage): void {
  const others = recent(storage).filter(({ path }) => path !== visited.path)
  storage.setItem(KEY, JSON.stringify([visited, ...others].slice(0, MOST)))
}

function isVisited(value: unknown): value is Visited {
  const { path, title } = (value ?? {}) as Record<string, unknown>
  return typeof path === 'string' && path.startsWith('/') && typeof title === 'string'
}
