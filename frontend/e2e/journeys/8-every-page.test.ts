import { expect, test } from 'vitest'
import { visitor, type Theme, type Visitor } from '../support/browser'
import { allPages, type PageCase } from '../support/pages'
import { until } from '../support/world'

const THEMES: Theme[] = ['light', 'dark']
const WIDTHS = [1920, 1280]
const NARROW = 768

/** Each page is loaded once, in light, and follows the system when that turns dark. */
async function turns({ page }: Visitor, theme: Theme): Promise<void> {
  await page.emulateMedia({ colorScheme: theme })
  await until(`the page in ${theme}`, async () => {
    return (await page.evaluate(() => document.documentElement.dataset.mantineColorScheme)) === theme
  })
}

test('the login page', async () => {
  const someone = await visitor({ loggedIn: false })
  await someone.page.goto('/')
  await someone.page.getByRole('heading', { name: 'Log in' }).waitFor()
  for (const theme of THEMES) {
    await turns(someone, theme)
    expect(await someone.accessibilityFaults()).toEqual([])
    await someone.picture(`login-${theme}-1280`)
  }
})

test.each(allPages())('$name', async (each: PageCase) => {
  const someone = await visitor()
  const { page } = someone
  await page.goto(typeof each.path === 'string' ? each.path : await each.path())
  await page.locator('main h1, main strong').first().waitFor()
  await each.ready?.(page)
  for (const theme of THEMES) {
    await turns(someone, theme)
    for (const width of [...WIDTHS, ...(each.table ? [NARROW] : [])]) {
      await page.setViewportSize({ width, height: width > 1280 ? 1080 : 800 })
      await someone.picture(`${each.name}-${theme}-${width}`)
      const sideways = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
      expect(sideways, `what sticks out at ${width}`).toBeLessThanOrEqual(0)
    }
    await page.setViewportSize({ width: 1280, height: 800 })
    expect(await someone.accessibilityFaults(), theme).toEqual([])
  }
})
