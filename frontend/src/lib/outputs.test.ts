import { expect, test } from 'vitest'
import { cpuText, milliseconds, plainParts } from './outputs'

test('times in three digits', () => {
  expect([null, 0, 1.2345, 999, 1500].map(milliseconds)).toEqual(['–', '0 ms', '1.23 ms', '999 ms', '1.5 s'])
  expect([119_000, 150_000, 7_200_000, 1e9].map(milliseconds)).toEqual(['119 s', '2.5 min', '2 h', '11.6 d'])
  expect(cpuText(0.12345)).toBe('0.123 s')
})

test('an output on a line: its first members, and how much is in lists and objects', () => {
  const output = { item: 'i-7', views: 3, encoding: [0.1, 0.2], kinds: { click: 1 }, fifth: true }
  expect(plainParts(output)).toEqual([
    ['item', 'i-7'],
    ['views', '3'],
    ['encoding', '[2]'],
    ['kinds', '{1}'],
  ])
  expect(plainParts({ text: 'x'.repeat(41), nothing: null })).toEqual([
    ['text', `${'x'.repeat(40)}…`],
    ['nothing', 'null'],
  ])
  expect(plainParts(null)).toEqual([])
})
