import type { AnyRoute } from '@tanstack/react-router'
import { Gauge } from 'lucide-react'
import { expect, test } from 'vitest'
import { rightsOf, type Me } from '@/lib/rights'
import { groupsOf, navigationPages } from './pages'

const route = (fullPath: string, page?: object) =>
  ({ fullPath, options: { staticData: { page } } }) as unknown as AnyRoute

const ROUTES = [
  route('/serving', { title: 'Serving', icon: Gauge, group: 'cloud' }),
  route('/', { title: 'Fleet', icon: Gauge, group: 'overview' }),
  route('/things/new', {
    title: 'New thing',
    icon: Gauge,
    isFor: ({ mayAnywhere }: ReturnType<typeof rightsOf>) => mayAnywhere('release', 'scenario'),
  }),
  route('/things/$id'),
  route('/parts', { title: 'Parts', icon: Gauge, isOfDebug: true }),
]

function someone(staff: boolean, permissions: string[]): ReturnType<typeof rightsOf> {
  return rightsOf({ username: 'ada', staff, scopes: [{ scope: 'scenario:camera', permissions }] } as unknown as Me)
}

test('a page is a page once its route says so, for whom it says', () => {
  const titles = (rights: ReturnType<typeof rightsOf>) =>
    navigationPages(ROUTES, rights, false).map(({ title }) => title)
  expect(titles(someone(false, ['view']))).toEqual(['Serving', 'Fleet'])
  expect(titles(someone(false, ['release']))).toEqual(['Serving', 'Fleet', 'New thing'])
  expect(titles(someone(true, []))).toEqual(['Serving', 'Fleet', 'New thing', 'Admin'])
})

test('pages for work on Walle itself are pages in debug only, also for site staff', () => {
  const titles = (isDebug: boolean) => navigationPages(ROUTES, someone(true, []), isDebug).map(({ title }) => title)
  expect([titles(false).includes('Parts'), titles(true).includes('Parts')]).toEqual([false, true])
})

test('the navigation has the groups in their order, and none without pages', () => {
  const groups = groupsOf(navigationPages(ROUTES, someone(true, []), false))
  expect(groups.map(({ heading, pages }) => [heading, ...pages.map(({ path }) => path)])).toEqual([
    ['', '/'],
    ['Cloud', '/serving'],
  ])
})
