import type { NavigationPage } from '../pages'

export type Shortcut = { does: 'help' } | { does: 'list' } | { does: 'go'; path: string } | { does: 'await' } | null

/** Returns what a key does on any page; `afterG` says whether g was pressed just before. */
export function shortcutOf(
  key: string,
  afterG: boolean,
  pages: readonly Pick<NavigationPage, 'path' | 'key'>[],
): Shortcut {
  if (afterG) {
    const page = pages.find((candidate) => candidate.key === key)
    if (page) return { does: 'go', path: page.path }
  }
  if (key === 'g') return { does: 'await' }
  if (key === '?') return { does: 'help' }
  return key === 'j' || key === 'k' ? { does: 'list' } : null
}
