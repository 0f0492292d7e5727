/** Drafts of this tab: whoever leaves the wizard, for the devices that match, finds it as it was. */
import type { Kept } from './draft'

const PREFIX = 'walle-draft '

export function keep(name: string, draft: Kept): void {
  try {
    sessionStorage.setItem(PREFIX + name, JSON.stringify(draft))
  } catch {
    // Without storage, or room in it, the draft lasts as long as the page.
  }
}

export function kept(name: string): Kept | null {
  try {
    const found = sessionStorage.getItem(PREFIX + name)
    return found === null ? null : (JSON.parse(found) as Kept)
  } catch {
    return null
  }
}

export function forget(name: string): void {
  try {
    sessionStorage.removeItem(PREFIX + name)
  } catch {
    // Without storage nothing was kept.
  }
}
