import type { PageCase } from '../support/pages'

export const pages: PageCase[] = [
  {
    name: 'features',
    path: '/features',
    ready: (page) => page.getByRole('figure', { name: 'Features per second' }).waitFor(),
    table: true,
  },
]
