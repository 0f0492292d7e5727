import { choice } from '@/lib/search'

/** `tokens` is `all` where those that have ended are shown, too. */
export type AccountSearch = { tokens?: 'all' | undefined }

export function readAccountSearch(search: Record<string, unknown>): AccountSearch {
  return { tokens: choice(search, 'tokens', ['all']) }
}
