import type { PageCase } from '../support/pages'

export const pages: PageCase[] = [
  {
    name: 'fleet',
    path: '/',
    reads: /\/fleet$/,
    table: true,
    ready: async (page) => {
      await page.locator('[data-figure=online]').waitFor()
      await page.locator('[data-kind]').first().waitFor()
      await page.getByRole('figure', { name: 'Failures per second' }).locator('canvas').waitFor()
      await page.locator('[data-concern]').or(page.getByText('Nothing needs attention')).first().waitFor()
    },
  },
]
