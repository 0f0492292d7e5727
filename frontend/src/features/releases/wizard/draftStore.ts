/** Drafts of this tab, so that people find the wizard as they left it, for example to see the matching devices. */
import type { StoredDraft } from './draft'

const PREFIX = 'walle-draft '

export function saveDraft(name: string, draft: StoredDraft): void {
  try {
    sessionStorage.setItem(PREFIX + name, JSON.stringify(draft))
  } catch {
    // Without storage, or space in it, the draft lasts as long as the page.
  }
}

export function loadDraft(name: string): StoredDraft | null {
  try {
    const found = sessionStorage.getItem(PREFIX + name)
    return found === null ? null : (JSON.parse(found) as StoredDraft)
  } catch {
    return null
  }
}

export function deleteDraft(name: string): void {
  try {
    sessionStorage.removeItem(PREFIX + name)
  } catch {
    // Without storage nothing was stored.
  }
}
