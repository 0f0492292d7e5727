import type { PageCase } from '../support/pages'

export const pages: PageCase[] = [
  {
    name: 'account',
    path: '/account?tokens=all',
    table: true,
    ready: (page) => page.getByRole('group', { name: 'Your tokens' }).waitFor(),
  },
]
