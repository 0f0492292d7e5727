import { expect, test } from 'vitest'
import { rightsOf, type Me } from '@/lib/rights'
import { navigationPages } from '../pages'
import { router } from '../router'
import { shortcutOf } from './shortcut'

const PAGES = [{ path: '/releases', key: 'r' }, { path: '/tasks', key: 't' }, { path: '/admin/' }]

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
  expect(shortcutOf(key, afterG, PAGES)).toEqual(does)
})

test('every page of the navigation has a key of its own', () => {
  const everything = rightsOf({ username: 'ada', staff: true, scopes: [] } as unknown as Me)
  const pages = navigationPages(Object.values(router.routesById), everything, false)
  const keys = pages.flatMap(({ group, key = '' }) => (group ? [key] : []))
  expect(keys.length).toBeGreaterThan(5)
  expect(new Set(keys).size).toBe(keys.length)
  expect(keys.every((key) => /^[a-z]$/.test(key) && !['g', 'j', 'k'].includes(key))).toBe(true)
})
