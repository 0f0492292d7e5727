import type { PageCase } from '../support/pages'

export const pages: PageCase[] = [
  {
    name: 'scenarios',
    path: '/scenarios',
    table: true,
    ready: (page) => page.getByRole('link', { name: 'camera' }).waitFor(),
  },
  {
    name: 'scenario',
    path: '/scenarios/camera',
    table: true,
    ready: (page) => page.getByRole('heading', { name: 'Members' }).waitFor(),
  },
  {
    name: 'apps',
    path: '/apps',
    table: true,
    ready: (page) => page.getByRole('link', { name: 'market' }).waitFor(),
  },
  {
    name: 'app',
    path: '/apps/market',
    table: true,
    ready: (page) => page.getByRole('heading', { name: 'Members' }).waitFor(),
  },
]
