import { expect, test } from 'vitest'
import { rightsOf, type Me } from '@/lib/rights'
import { placesOf } from '../pages'
import { router } from '../router'
import { shortcutOf } from './shortcut'

const PLACES = [{ path: '/releases', key: 'r' }, { path: '/tasks', key: 't' }, { path: '/admin/' }]

test.each([
  ['r', true, { does: 'go', path: '/releases' }],
  ['t', true, { does: 'go', path: '/tasks' }],
  ['r', false, null],
  ['x', true, null],
  ['g', false, { does: 'await' }],
  ['g', true, { does: 'await' }],
  ['?', true, { does: 'help' }],
  ['j', false, { does: 'list' }],
  ['k', true, { does: 'list' }],
])('%s (after g: %s)', (key, afterG, does) => {
  expect(shortcutOf(key, afterG, PLACES)).toEqual(does)
})

test('every page of the navigation has a key of its own', () => {
  const everything = rightsOf({ username: 'ada', staff: true, scopes: [] } as unknown as Me)
  const places = placesOf(Object.values(router.routesById), everything, false)
  const pages = places.flatMap(({ group, key = '' }) => (group ? [key] : []))
  expect(pages.length).toBeGreaterThan(5)
  expect(new Set(pages).size).toBe(pages.length)
  expect(pages.every((key) => /^[a-z]$/.test(key) && !['g', 'j', 'k'].includes(key))).toBe(true)
})
