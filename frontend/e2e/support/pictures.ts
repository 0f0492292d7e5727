/** Pictures of a page as people with other screens and themes see it. */
import { expect } from 'vitest'
import type { Theme, Visitor } from './browser'

/** Of a page in both themes, narrow and wide: nothing sticks out, and axe finds nothing. */
export async function pictures(name: string, someone: Visitor): Promise<void> {
  const { page } = someone
  for (const theme of ['light', 'dark'] satisfies Theme[]) {
    await page.emulateMedia({ colorScheme: theme })
    for (const width of [768, 1280, 1920]) {
      await page.setViewportSize({ width, height: 1080 })
      const sideways = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
      expect(sideways, `what sticks out at ${width}`).toBeLessThanOrEqual(0)
      await someone.picture(`${name}-${theme}-${width}`)
    }
    expect(await someone.accessibilityFaults(), theme).toEqual([])
  }
  await page.emulateMedia({ colorScheme: 'light' })
}
