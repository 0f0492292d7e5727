/**
 * How far a search goes on by itself.
 *
 * Where few devices are as asked for, the API looks through a part of the fleet per page, and answers with fewer rows
 * than asked for, or none. Whoever looks for a needle sees how far it has got, and is asked after a while.
 */

export const ROWS = 100
/** So many parts of the fleet are looked through in a row before somebody has to say so. */
export const MOST_PARTS = 25

type PageOf = { results: readonly unknown[]; next: string | null }

export type Looking = {
  /** Parts of the fleet that were looked through without filling a page. */
  parts: number
  /** The bound is reached: go on only if somebody says so. */
  paused: boolean
}

/** `from`: the number of pages when somebody last said to go on. */
export function lookingOf(pages: readonly PageOf[], from: number): Looking {
  const atOnce = shortRun(pages.slice(from))
  return { parts: shortRun(pages), paused: atOnce >= MOST_PARTS && pages.at(-1)?.next !== null }
}

/** How many pages at the end are short. */
function shortRun(pages: readonly PageOf[]): number {
  const full = pages.findLastIndex(({ results }) => results.length >= ROWS)
  return pages.length - 1 - full
}
