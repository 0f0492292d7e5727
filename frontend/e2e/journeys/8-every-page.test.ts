import type { Page } from 'playwright-core'
import { afterAll, expect, test } from 'vitest'
import { visitor } from '../support/browser'
import { debugServer, stopDebugServer } from '../support/debugServer'
import { looks, THEMES, turns } from '../support/looks'
import { allPages, type PageCase } from '../support/pages'
import * as releases from '../support/releases'
import { expectNoShifts, pageTime, watchShifts } from '../support/shifts'
import { until } from '../support/world'

const WIDTHS = [1280, 1920]
const NARROW = 768
/** What is live changes each second or so. */
const LIVE_MS = 10_000
const TASK = 'comments/sentiment'
const LIVE_PAGES = ['fleet', 'devices', 'releases']

afterAll(stopDebugServer)

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
  await open(page, each)
  const opened = await pageTime(page)
  if (each.reads) expect(await readBeforePaint(page, each.reads), 'readings before the first paint').toHaveLength(1)
  await looks(someone, each.name, [...WIDTHS, ...(each.table ? [NARROW] : [])], 1280)
  await expectNoShifts(page, opened)
})

test('nothing moves by itself while devices check in and a release goes on', async () => {
  const cases = allPages().filter(({ name }) => LIVE_PAGES.includes(name))
  const watched = []
  for (const each of cases) {
    const { page } = await visitor()
    await open(page, each)
    watched.push({ page, since: await pageTime(page) })
  }
  await releases.registerAgain(TASK, '1.0.0', '1.0.1')
  const id = await releases.draft(TASK, '1.0.1', releases.HALF)
  await releases.move(id, 'start')
  await new Promise((resolve) => setTimeout(resolve, LIVE_MS))
  await releases.move(id, 'roll-back', 'it was only looked at')
  expect(watched).toHaveLength(LIVE_PAGES.length)
  for (const { page, since } of watched) await expectNoShifts(page, since)
})

test('components are shown in debug only: live values come by steps, and what was refused is tried again', async () => {
  const someone = await visitor()
  const { page } = someone
  const loaded: string[] = []
  page.on('request', (request) => loaded.push(request.url()))
  someone.expectsComplaint(/404.*\/components/)
  await page.goto('/components')
  await page.getByText('There is no such page').waitFor()
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: /Go to/ }).fill('Components')
  expect(await page.getByRole('option', { name: /Components/ }).count()).toBe(0)
  expect(loaded.filter((url) => url.includes('Gallery'))).toEqual([])

  await page.goto(await debugServer())
  await page.getByRole('heading', { name: 'Fleet' }).waitFor()
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: /Go to/ }).fill('Components')
  await page.getByRole('option', { name: /Components/ }).click()
  const live = page.getByRole('figure', { name: 'Live values' }).locator('strong')
  const before = await live.textContent()
  const next = page.getByRole('button', { name: 'Next values' })
  for (const step of [1, 2, 3]) {
    await next.click()
    await page.locator(`[data-step="${step}"]`).waitFor()
  }
  await until('another value', async () => (await live.textContent()) !== before)

  const list = page.locator('[data-state="an error, which can be tried again"]')
  for (let tries = 0; tries < 3; tries++) await list.getByRole('button', { name: 'Try again' }).click()
  await list.getByRole('grid', { name: 'Rows after an error' }).waitFor()
  const many = page.getByRole('grid', { name: 'Many rows' })
  await many.getByRole('columnheader', { name: 'Devices' }).getByRole('button').click()
  await many.getByRole('gridcell').first().click()
  await page.getByText(/^[a-z]+-\d+ was opened$/).waitFor()
  await someone.picture('components-table')

  const group = page.getByRole('list', { name: 'Events' }).getByRole('button', { name: /^3 events/ })
  await group.hover()
  await page.getByRole('tooltip').filter({ hasText: 'rolled back: 5 of 50' }).waitFor()
  await someone.picture('components-group')
  await page.getByRole('figure', { name: 'Crosshair, first' }).locator('.u-over').hover()
  await someone.picture('components-crosshair')
  for (const theme of THEMES) {
    await turns(someone, theme)
    // All of it: pages scroll within the window.
    await page.setViewportSize({ width: 1280, height: 8000 })
    await someone.picture(`components-whole-${theme}`)
  }
})

/** Returns the requests for an address of the API that were sent before anything was painted. */
async function readBeforePaint(page: Page, address: RegExp): Promise<string[]> {
  const sent = await page.evaluate(() => {
    const painted = performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0
    const resources = performance.getEntriesByType('resource')
    return resources.filter(({ startTime }) => startTime < painted).map(({ name }) => name)
  })
  return sent.filter((url) => url.includes('/api/') && address.test(new URL(url).pathname))
}

async function open(page: Page, { path, ready }: PageCase): Promise<void> {
  await watchShifts(page)
  await page.goto(typeof path === 'string' ? path : await path())
  await page.locator('main h1, main strong').first().waitFor()
  await ready?.(page)
}
