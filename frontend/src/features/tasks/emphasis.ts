/** Where two lines differ, so that a changed word is found in a long line. */

/** From `start` on, up to `oldEnd` in the old line and `newEnd` in the new one. */
export type Emphasis = { start: number; oldEnd: number; newEnd: number }

/** Lines that have less than this share in common are two lines rather than one that was changed. */
const ALIKE = 0.3

/** The first six bits of a surrogate, high or low. */
const HIGH = 0xd800 >> 10
const LOW = 0xdc00 >> 10

/** Null where the lines have too little in common, or nothing differs. */
export function emphasis(old: string, now: string): Emphasis | null {
  const shorter = Math.min(old.length, now.length)
  let start = 0
  while (start < shorter && old[start] === now[start]) start++
  let end = 0
  while (end < shorter - start && old[old.length - 1 - end] === now[now.length - 1 - end]) end++
  // Half a character is none.
  if (isWithin(old, start) || isWithin(now, start)) start--
  if (isWithin(old, old.length - end) || isWithin(now, now.length - end)) end--
  if (old === now || start + end < ALIKE * Math.max(old.length, now.length)) return null
  return { start, oldEnd: old.length - end, newEnd: now.length - end }
}

/** Whether this is between the two halves of a character that takes two, such as an emoji. */
function isWithin(text: string, index: number): boolean {
  return text.charCodeAt(index - 1) >> 10 === HIGH && text.charCodeAt(index) >> 10 === LOW
}
