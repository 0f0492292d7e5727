import type { PageCase } from '../support/pages'
import { placedWorkflow } from '../support/workflows'

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
  {
    name: 'workflow',
    path: () => placedWorkflow('speech', 'vqa_small.json'),
    ready: async (page) => {
      await page.getByRole('group', { name: 'Baselines' }).waitFor()
      await page.getByRole('slider', { name: 'What rates cost' }).waitFor()
    },
    table: true,
  },
]
