/** Finds where two lines differ, so that a changed word is visible in a long line. */

/** The difference begins at `start`, and ends at `oldEnd` in the old line and `newEnd` in the new one. */
export type Emphasis = { start: number; oldEnd: number; newEnd: number }

/** With a smaller common share than this, lines count as two different lines. */
const ALIKE = 0.3

/** The first six bits of a surrogate, high or low. */
const HIGH = 0xd800 >> 10
const LOW = 0xdc00 >> 10

/** Returns null if the lines have too little in common, or are equal. */
export function emphasis(old: string, now: string): Emphasis | null {
  const shorter = Math.min(old.length, now.length)
  let start = 0
  while (start < shorter && old[start] === now[start]) start++
  let end = 0
  while (end < shorter - start && old[old.length - 1 - end] === now[now.length - 1 - end]) end++
  // Never splits a surrogate pair.
  if (isWithin(old, start) || isWithin(now, start)) start--
  if (isWithin(old, old.length - end) || isWithin(now, now.length - end)) end--
  if (old === now || start + end < ALIKE * Math.max(old.length, now.length)) return null
  return { start, oldEnd: old.length - end, newEnd: now.length - end }
}

/** Returns whether this index is inside a surrogate pair, such as an emoji. */
function isWithin(text: string, index: number): boolean {
  return text.charCodeAt(index - 1) >> 10 === HIGH && text.charCodeAt(index) >> 10 === LOW
}
