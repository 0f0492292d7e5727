import type { PageCase } from '../support/pages'
import { debugServer } from '../support/debugServer'

export const pages: PageCase[] = [
  {
    name: 'components',
    path: async () => `${await debugServer()}/components`,
    table: true,
    ready: async (page) => {
      await page.getByRole('figure', { name: 'Crosshair, second' }).locator('canvas').waitFor()
      await page.getByRole('listbox', { name: 'Nodes of Four nodes' }).waitFor()
    },
  },
]
