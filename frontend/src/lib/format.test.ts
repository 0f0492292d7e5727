import { expect, test } from 'vitest'
import { bytes, count, millionths, partOf, percent, plural, rate, share } from './format'

test.each([
  [0, '0 %'],
  [0.0002, '< 0.1 %'],
  [0.125, '12.5 %'],
  [0.9999, '> 99.9 %'],
  [1, '100 %'],
])('a share of %d is %s', (share, text) => {
  expect(percent(share)).toBe(text)
})

test.each([
  [0, '0 B'],
  [1023, '1023 B'],
  [1024, '1.0 KiB'],
  [52_428_800, '50 MiB'],
])('%i bytes are %s', (value, text) => {
  expect(bytes(value)).toBe(text)
})

test('counts have separators, rates three digits', () => {
  expect([count(1_234_567), rate(12.345), rate(0.1234), rate(0)]).toEqual(['1,234,567', '12.3', '0.123', '0'])
})

test('a share of nothing is none', () => {
  expect([share(1, 4), share(0, 0)]).toEqual([0.25, 0])
  expect(partOf(1200, 4800)).toBe('1,200 (25 %)')
})

test('shares in millionths are exact', () => {
  expect([1, 1000, 1_000_000].map(millionths)).toEqual(['0.0001 %', '0.1 %', '100 %'])
})

test('one of them is no plural', () => {
  expect([plural(0, 'file'), plural(1, 'file'), plural(1200, 'file')]).toEqual(['0 files', '1 file', '1,200 files'])
})
