import type { PageCase } from '../support/pages'

export const pages: PageCase[] = [
  {
    name: 'tasks',
    path: '/tasks',
    reads: /\/tasks$/,
    table: true,
    ready: (page) => page.getByRole('link', { name: 'camera/digits' }).waitFor(),
  },
  {
    name: 'tasks-scenario',
    path: '/tasks?scenario=camera',
    ready: (page) => page.getByRole('region', { name: 'Scenario camera' }).getByText('created').waitFor(),
  },
  { name: 'tasks-none', path: '/tasks?q=no-such-task', ready: (page) => page.getByText('No task fits').waitFor() },
  {
    name: 'task',
    path: '/tasks/camera/digits?version=1.0.0',
    reads: /\/tasks\/camera\/digits$/,
    table: true,
    ready: async (page) => {
      await page.getByRole('grid', { name: 'Files' }).getByText('main.py').waitFor()
      await page
        .getByRole('link', { name: /in market$/ })
        .first()
        .waitFor()
    },
  },
  {
    name: 'task-exclusive',
    path: '/tasks/shop/recommend',
    ready: (page) => page.getByRole('grid', { name: 'Files' }).getByText('prefs.json').first().waitFor(),
  },
  {
    name: 'diff',
    path: '/tasks/camera/digits/diff?from=1.0.0&to=1.1.0',
    table: true,
    ready: (page) => page.getByRole('region', { name: /^What changed/ }).waitFor(),
  },
]
