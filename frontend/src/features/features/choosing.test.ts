import { expect, test } from 'vitest'
import { parseSearch, stringifySearch } from '@/lib/search'
import { chosenBy, mergeFeatures, spanOf, withArrivals, type Feature } from './choosing'
import { readFeatureSearch } from './search'

const feature = (id: number, some: Partial<Feature> = {}) =>
  ({ id, app: 'shop', device: 'phone', task: 'shop/ipv', version: '1.0.0', ...some }) as Feature
const ids = (features: readonly Feature[]) => features.map(({ id }) => id)

test('filters survive the address, and only those choose features', () => {
  const search = { app: 'shop', device: 'a-B_1', task: 'shop/ipv', version: '1.0.0', span: '6h', feature: '7' }
  const read = readFeatureSearch(parseSearch(stringifySearch(search)))
  expect(read).toEqual(search)
  expect(chosenBy(read)).toEqual({ app: 'shop', device: 'a-B_1', task: 'shop/ipv', version: '1.0.0' })
  expect(chosenBy(readFeatureSearch({ other: 'x' }))).toEqual({})
})

test('a time span that there is not is the usual one', () => {
  expect(['24h', '9h', undefined, 'toString'].map((span) => spanOf({ span }))).toEqual(['24h', '1h', '1h', '1h'])
})

test('what arrives is added once, newest first, and bounded', () => {
  const known = withArrivals([], [feature(3), feature(2)])
  expect(withArrivals(known, [feature(3)])).toBe(known)
  expect(ids(withArrivals(known, [feature(5), feature(3), feature(4)]))).toEqual([5, 4, 3, 2])
  const many = Array.from({ length: 500 }, (_, id) => feature(id))
  expect(ids(withArrivals([], many)).slice(0, 2)).toEqual([499, 498])
  expect(withArrivals([], many)).toHaveLength(200)
})

test('before the read features come those that arrived since and are chosen', () => {
  const arrived = [feature(9), feature(8, { device: 'tablet' }), feature(6), feature(5)]
  const read = [feature(6), feature(4)]
  expect(ids(mergeFeatures(read, arrived, {}))).toEqual([9, 8, 6, 4])
  expect(ids(mergeFeatures(read, arrived, { device: 'phone', task: 'shop/ipv' }))).toEqual([9, 6, 4])
  expect(ids(mergeFeatures([], arrived, { version: '2.0.0' }))).toEqual([])
})
