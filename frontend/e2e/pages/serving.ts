import type { PageCase } from '../support/pages'

export const pages: PageCase[] = [
  {
    name: 'serving',
    path: '/serving',
    ready: async (page) => {
      await page
        .getByText('No pipeline yet')
        .or(page.getByRole('grid', { name: 'Pipelines' }))
        .first()
        .waitFor()
      await page.getByRole('heading', { name: 'Hosts' }).waitFor()
    },
    table: true,
  },
]
