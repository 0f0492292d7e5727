import { expect, test } from 'vitest'
import { isGap, sideBySide, type DiffRow } from './unified'

const HEAD = '--- main.py\n+++ main.py\n'

/** Rows as short texts: "2 b|2 B" changed, "1 a=1 a" the same, "…4" a gap. */
function shown(rows: DiffRow[]): string[] {
  return rows.map((row) => {
    if (isGap(row)) return `…${row.hidden}`
    const [old, now] = [row.old, row.new].map((line) => (line ? `${line.number} ${line.text}` : ''))
    return `${old ?? ''}${row.same ? '=' : '|'}${now ?? ''}`
  })
}

test('removed lines stand beside added ones, and what is left over alone', () => {
  const { rows, added, removed } = sideBySide(`${HEAD}@@ -1,4 +1,3 @@\n a\n-b\n-c\n+B\n d\n`)
  expect(shown(rows)).toEqual(['1 a=1 a', '2 b|2 B', '3 c|', '4 d=3 d'])
  expect([added, removed]).toEqual([1, 2])
})

test('hunks say how many lines are left out before them', () => {
  const { rows } = sideBySide(`${HEAD}@@ -5,2 +5,3 @@\n e\n+x\n f\n@@ -17 +18 @@\n-q\n+Q\n`)
  expect(shown(rows)).toEqual(['…4', '5 e=5 e', '|6 x', '6 f=7 f', '…10', '17 q|18 Q'])
})

test('a new file and a removed one', () => {
  expect(shown(sideBySide(`${HEAD}@@ -0,0 +1,2 @@\n+a\n+b\n`).rows)).toEqual(['|1 a', '|2 b'])
  expect(shown(sideBySide(`${HEAD}@@ -1 +0,0 @@\n-a\n`).rows)).toEqual(['1 a|'])
})

test('lines that look like headers are lines, and empty lines are kept', () => {
  const { rows } = sideBySide(`${HEAD}@@ -1,3 +1,3 @@\n \n--- x\n+++ y\n \n`)
  expect(shown(rows)).toEqual(['1 =1 ', '2 -- x|2 ++ y', '3 =3 '])
})

test('a last line without its end is marked on its side', () => {
  const marked = `${HEAD}@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n`
  expect(sideBySide(marked).rows).toEqual([
    { old: { number: 1, text: 'a', ends: false }, new: { number: 1, text: 'a', ends: true }, same: false },
  ])
})

test('no diff has no rows', () => {
  expect(sideBySide('')).toEqual({ rows: [], added: 0, removed: 0 })
})
