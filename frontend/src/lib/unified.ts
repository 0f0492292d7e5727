/** Parses a unified diff into rows that stand side by side. */

/** One line of one side; `ends` is false for a last line without a line end. */
export type Line = { number: number; text: string; ends: boolean }
type Pair = { old: Line | null; new: Line | null; same: boolean }
/** The lines left out before a hunk; none before the first line. */
type Gap = { hidden: number }
export type DiffRow = Pair | Gap
type SideBySide = { rows: DiffRow[]; added: number; removed: number }

const HUNK = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/

export function isGap(row: DiffRow): row is Gap {
  return 'hidden' in row
}

/** Returns the rows of a diff of one file. Within a change, removed lines stand beside added ones in their order. */
export function sideBySide(diff: string): SideBySide {
  const rows: DiffRow[] = []
  const removed: Line[] = []
  const added: Line[] = []
  const sums = { added: 0, removed: 0 }
  let [oldNumber, newNumber] = [0, 0]
  let last: Line[] = []

  const flush = () => {
    const height = Math.max(removed.length, added.length)
    for (let index = 0; index < height; index++) {
      rows.push({ old: removed[index] ?? null, new: added[index] ?? null, same: false })
    }
    sums.removed += removed.splice(0).length
    sums.added += added.splice(0).length
  }

  for (const text of diffLines(diff)) {
    const hunk = HUNK.exec(text)
    const content = text.slice(1)
    if (hunk) {
      flush()
      const [oldStart, newStart] = [Number(hunk[1]), Number(hunk[2])]
      const hidden = newStart > 0 ? newStart - Math.max(1, newNumber) : 0
      if (rows.length > 0 || hidden > 0) rows.push({ hidden })
      ;[oldNumber, newNumber] = [oldStart, newStart]
    } else if (text.startsWith('-')) {
      const line = { number: oldNumber++, text: content, ends: true }
      removed.push(line)
      last = [line]
    } else if (text.startsWith('+')) {
      const line = { number: newNumber++, text: content, ends: true }
      added.push(line)
      last = [line]
    } else if (text.startsWith('\\')) {
      for (const line of last) line.ends = false
    } else {
      flush()
      const pair = {
        old: { number: oldNumber++, text: content, ends: true },
        new: { number: newNumber++, text: content, ends: true },
        same: true,
      }
      rows.push(pair)
      last = [pair.old, pair.new]
    }
  }
  flush()
  return { rows, ...sums }
}

/** Returns its lines without the two that name the files; each line of a diff has a line end. */
function diffLines(diff: string): string[] {
  const lines = diff.split('\n')
  if (lines.at(-1) === '') lines.pop()
  return lines.slice(2)
}
