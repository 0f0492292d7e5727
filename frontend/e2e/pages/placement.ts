import type { PageCase } from '../support/pages'

export const pages: PageCase[] = [
  {
    name: 'placements',
    path: '/placements',
    ready: async (page) => {
      await page
        .getByText('No workflow yet')
        .or(page.getByRole('grid', { name: 'Workflows' }))
        .first()
        .waitFor()
    },
    table: true,
  },
]
