import { expect, test } from 'vitest'
import { parseSearch, stringifySearch } from '@/lib/search'
import { conditionsOf, isNarrowed, queryOf, readSearch, withCondition, withoutFact, readDeviceSearch } from './search'

test('a search survives the address', () => {
  const search = {
    app: 'market',
    q: 'aB-_',
    seen_since: '2026-05-01T00:00:00Z',
    revoked: 'false' as const,
    rule: '{"fact": "os", "equals": "ios"}',
    where: ['model=Pixel 8', 'user.age_band=18-29', 'note=a=b&c'],
  }
  expect(readSearch(parseSearch(stringifySearch(search)))).toEqual(search)
})

test('what no address holds is not asked for', () => {
  expect(queryOf(readSearch({ revoked: 'perhaps', other: 'x' }))).toEqual({})
  expect(isNarrowed({ app: 'market' })).toBe(false)
  expect(isNarrowed({ app: 'market', revoked: 'false' })).toBe(true)
})

test('conditions are asked for as facts', () => {
  expect(
    queryOf({ app: 'market', os: 'ios', revoked: 'true', where: ['model=Pixel 8', 'fact.channel=internal'] }),
  ).toEqual({
    app: 'market',
    os: 'ios',
    revoked: true,
    facts: { 'fact.model': 'Pixel 8', 'fact.channel': 'internal' },
  })
})

test('of conditions about one fact the last counts, and one without a value is kept', () => {
  expect(conditionsOf(['model=a', 'os=b', 'model=c=d', 'odd'])).toEqual([
    { fact: 'model', value: 'c=d' },
    { fact: 'os', value: 'b' },
    { fact: 'odd', value: '' },
  ])
})

test('a moment that is none asks for the present', () => {
  expect(readDeviceSearch({ at: '2026-05-01T12:00:00Z' })).toEqual({ at: '2026-05-01T12:00:00Z' })
  expect(readDeviceSearch({ at: 'yesterday' }).at).toBeUndefined()
  expect(readDeviceSearch({}).at).toBeUndefined()
})

test('conditions come and go', () => {
  expect(withCondition(['model=a', 'os=b'], { fact: 'model', value: 'c' })).toEqual(['os=b', 'model=c'])
  expect(withCondition(undefined, { fact: 'model', value: 'c' })).toEqual(['model=c'])
  expect(withoutFact(['model=a', 'os=b'], 'model')).toEqual(['os=b'])
  expect(withoutFact(['model=a'], 'model')).toBeUndefined()
})
