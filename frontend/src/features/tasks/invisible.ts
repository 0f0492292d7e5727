/** Makes invisible characters visible, which may be the only difference, or disguise a line. */

// Controls but tab and line feed, marks of direction, the space of no width.
// oxlint-disable-next-line no-control-regex -- they are what is looked for
const INVISIBLE = /[\0-\x08\x0b-\x1f\x7f\u061c\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g

/** "x = 1⟨CR⟩", "⟨U+202E⟩" */
export function visible(text: string): string {
  return text.replace(INVISIBLE, (found) => {
    if (found === '\r') return '⟨CR⟩'
    return `⟨U+${found.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}⟩`
  })
}
