import { choice, text } from '@/lib/search'

/** `tokens` is `all` where those that have ended are shown, too; `confirm` is what the link to a new address carries. */
export type AccountSearch = { tokens?: 'all' | undefined; confirm?: string | undefined }

export function readAccountSearch(search: Record<string, unknown>): AccountSearch {
  return { tokens: choice(search, 'tokens', ['all']), confirm: text(search, 'confirm') }
}
