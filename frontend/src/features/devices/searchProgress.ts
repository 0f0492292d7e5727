/**
 * How far a search continues automatically.
 *
 * If few devices match, the API searches a part of the fleet per page, and answers with fewer rows than requested, or
 * none. The person sees the progress of a long search, and has to confirm after a while.
 */

export const ROWS = 100
/** The number of parts of the fleet that are searched in a row without confirmation. */
export const MOST_PARTS = 25

type PageOf = { results: readonly unknown[]; next: string | null }

export type Looking = {
  /** The number of parts of the fleet searched without filling a page. */
  parts: number
  /** Whether the bound is reached, and the search continues only after confirmation. */
  paused: boolean
}

/** Returns the progress; `from` is the number of pages at the last confirmation. */
export function lookingOf(pages: readonly PageOf[], from: number): Looking {
  const atOnce = shortRun(pages.slice(from))
  return { parts: shortRun(pages), paused: atOnce >= MOST_PARTS && pages.at(-1)?.next !== null }
}

/** Returns how many pages at the end are short. */
function shortRun(pages: readonly PageOf[]): number {
  const full = pages.findLastIndex(({ results }) => results.length >= ROWS)
  return pages.length - 1 - full
}
