import { expect, test } from 'vitest'
import { exactPercent, milliseconds, partOfSample, percentile, roundPercent } from './rounding'

test.each([
  [0, '0 %'],
  [0.00000001, '< 0.0001 %'],
  [0.00001, '0.001 %'],
  [0.0025, '0.25 %'],
  [0.08983, '9 %'],
  [0.18372, '18.4 %'],
  [0.99991, '> 99.9 %'],
  [1, '100 %'],
])('a share of %d is %s', (share, text) => {
  expect(roundPercent(share)).toBe(text)
})

test('a limit is not rounded', () => {
  expect([0.01, 0.0125, 0.00001, 0.07].map(exactPercent)).toEqual(['1 %', '1.25 %', '0.001 %', '7 %'])
})

test('a small sample has no decimals, a smaller one no percentage', () => {
  expect([partOfSample(2, 3), partOfSample(5, 28), partOfSample(184, 1000), partOfSample(0, 0)]).toEqual([
    '2 of 3',
    '5 of 28 (18 %)',
    '184 of 1,000 (18.4 %)',
    '–',
  ])
  expect([partOfSample(98, 99), partOfSample(999_999, 1_000_000)]).toEqual(['98 of 99 (99 %)', '999,999 of 1,000,000 (> 99.9 %)'])
}) // prettier-ignore

test.each([
  [0.1234, '0.12 ms'],
  [3.71, '3.7 ms'],
  [37.26, '37 ms'],
  [999.6, '1 s'],
  [1234, '1.2 s'],
  [12_345, '12 s'],
])('%d milliseconds are %s', (value, text) => {
  expect(milliseconds(value)).toBe(text)
})

test('a percentile of too few is none', () => {
  expect([percentile('p50', 37.2, 4), percentile('p50', 37.2, 5), percentile('p95', 37.2, 19)]).toEqual([
    'from 5 runs',
    '37 ms',
    'from 20 runs',
  ])
  expect(percentile('p99', null, 1000)).toBe('–')
})
