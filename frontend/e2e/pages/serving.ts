import { PIPELINE, releasedPipeline } from '../support/pipelines'
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
  {
    name: 'pipeline',
    path: async () => {
      await releasedPipeline()
      return PIPELINE.path
    },
    ready: (page) => page.getByRole('heading', { name: /^What the oven did/ }).waitFor(),
    table: true,
  },
]
