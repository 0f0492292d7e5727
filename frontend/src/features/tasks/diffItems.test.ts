import { expect, test } from 'vitest'
import { diffItems, fieldText, fileAt, type Diff, type FileChange } from './diffItems'

const SIDE = { kind: 'shared', digest: 'ab'.repeat(32), size: 3, template: '', default: '' } as const

function changed(path: string, diff: string | null, omitted: 'binary' | null): FileChange {
  return { path, change: 'changed', old: SIDE, new: SIDE, diff, omitted }
}

const DIFF: Diff = {
  task: 'camera/digits',
  base: '1.0.0',
  version: '1.1.0',
  commits: [],
  dropped_commits: [],
  files: [
    changed('main.py', '--- main.py\n+++ main.py\n@@ -1 +1,2 @@\n-a\n+b\n+c\n', null),
    changed('model.npz', null, 'binary'),
  ],
  fields: [{ field: 'limits.time_ms', old: 2000, new: 1500 }],
}

test('declarations come first, then each file with its rows or with what is known of it', () => {
  const { items, files } = diffItems(DIFF)
  expect(items.map(({ type }) => type)).toEqual(['fields', 'file', 'row', 'row', 'file', 'content'])
  expect(files.map(({ change, added, removed, at }) => [change.path, added, removed, at])).toEqual([
    ['main.py', 2, 1, 1],
    ['model.npz', 0, 0, 4],
  ])
  expect([0, 3, 5, 9].map((index) => fileAt(items, index)?.change.path)).toEqual([
    undefined,
    'main.py',
    'model.npz',
    undefined,
  ])
})

test('a large difference is laid out quickly', () => {
  const body = Array.from({ length: 40_000 }, (_, line) => `${line % 2 ? '+' : '-'}line ${line}`).join('\n')
  const before = performance.now()
  const { items } = diffItems({ ...DIFF, files: [changed('a.txt', `---\n+++\n@@ -1 +1 @@\n${body}\n`, null)] })
  expect(items).toHaveLength(20_000 + 2)
  expect(performance.now() - before).toBeLessThan(1000)
})

test.each([
  [null, '–'],
  ['main:run', 'main:run'],
  [['numpy'], '["numpy"]'],
  [2000, '2000'],
])('%j is shown as %s', (value, text) => {
  expect(fieldText(value)).toBe(text)
})
