/** How a page looks in both themes, and in windows of several widths. */
import { expect } from 'vitest'
import type { Theme, Visitor } from './browser'
import { until } from './world'

export const THEMES: Theme[] = ['light', 'dark']

/** A page that is open follows the system into a theme. */
export async function turns({ page }: Visitor, theme: Theme): Promise<void> {
  await page.emulateMedia({ colorScheme: theme })
  await until(`the page in ${theme}`, async () => {
    return (await page.evaluate(() => document.documentElement.dataset.mantineColorScheme)) === theme
  })
}

/**
 * Keeps pictures of a page in both themes at each width, where nothing may stick out; axe has a look at one of them.
 *
 * Another width has all drawn anew: in the second theme they come back in the opposite order. The first should be the
 * one that the page has.
 */
export async function looks(someone: Visitor, name: string, widths: readonly number[], axeAt: number): Promise<void> {
  const { page } = someone
  let way = widths
  for (const theme of THEMES) {
    await turns(someone, theme)
    for (const width of way) {
      await page.setViewportSize({ width, height: width > 1280 ? 1080 : 800 })
      await someone.picture(`${name}-${theme}-${width}`)
      const sideways = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
      expect(sideways, `what sticks out in ${theme} at ${width}`).toBeLessThanOrEqual(0)
      if (width === axeAt) expect(await someone.accessibilityFaults(), theme).toEqual([])
    }
    way = way.toReversed()
  }
}
