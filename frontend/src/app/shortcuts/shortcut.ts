import type { Place } from '../pages'

export type Shortcut = { does: 'help' } | { does: 'list' } | { does: 'go'; path: string } | { does: 'await' } | null

/** Returns what a key does on any page; `afterG` says whether g was pressed just before. */
export function shortcutOf(key: string, afterG: boolean, places: readonly Pick<Place, 'path' | 'key'>[]): Shortcut {
  if (afterG) {
    const place = places.find((candidate) => candidate.key === key)
    if (place) return { does: 'go', path: place.path }
  }
  if (key === 'g') return { does: 'await' }
  if (key === '?') return { does: 'help' }
  return key === 'j' || key === 'k' ? { does: 'list' } : null
}
