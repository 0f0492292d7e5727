import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { rate } from '../../src/lib/format'
import { visitor } from '../support/browser'
import { shownDevices, storedDevices } from '../support/fleet'
import * as releases from '../support/releases'
import { same, sql, until, walle, world } from '../support/world'

const EXAMPLE = new URL('../../../examples/text/task', import.meta.url).pathname
const TASK = 'comments/tone'

test('the figures are those of PostgreSQL while devices check in', async () => {
  const { page } = await visitor()
  await page.goto('/')
  await page.locator('[data-figure=online]').waitFor()
  await until('as many devices on the screen as in PostgreSQL', async () => {
    const [shown, stored] = await Promise.all([shownDevices(page), storedDevices()])
    return same(shown, stored)
  })
  expect((await storedDevices()).known).toBeGreaterThan(20)

  const at = await until('the rates of PostgreSQL on the screen', async () => {
    const { at, ...shown } = await shownRates(page)
    return same(shown, await storedRates(at)) && Number(shown['Check-ins/s']) > 0 && at
  })
  await until('rates of later seconds, without a reload', async () => (await shownRates(page)).at !== at)
})

test('a part of the charts that is chosen with the mouse stays, until all is asked for', async () => {
  const { page } = await visitor()
  await page.goto('/')
  const plot = page.getByRole('figure', { name: 'Check-ins per second' }).locator('.u-over')
  await plot.scrollIntoViewIfNeeded()
  const { x, y, width } = (await plot.boundingBox()) ?? { x: 0, y: 0, width: 0 }
  await page.mouse.move(x + width / 4, y + 40)
  await page.mouse.down()
  await page.mouse.move(x + width / 2, y + 40, { steps: 4 })
  await page.mouse.up()
  const back = page.getByRole('button', { name: 'Show all' })
  await back.waitFor()
  const { search } = new URL(page.url())
  expect(search).toMatch(/from=\d+&to=\d+/)

  const { at } = await shownRates(page)
  await until('rates of later seconds', async () => (await shownRates(page)).at !== at)
  expect(new URL(page.url()).search).toBe(search)
  await page.reload()
  await back.click()
  await back.waitFor({ state: 'detached' })
  expect(new URL(page.url()).search).toBe('')
})

test('a release comes, reaches devices, is rolled back and needs somebody, without a reload', async () => {
  const someone = await visitor()
  const { page } = someone
  await walle('version', 'upload', EXAMPLE, TASK, '1.0.0')
  await page.goto('/?app=market&span=15m')
  await page.locator('[data-kind]').first().waitFor()
  const id = await releases.draft(TASK, '1.0.0', releases.HALF)
  await releases.move(id, 'start')

  const row = page.locator(`tr[data-release="${id}"]`)
  await row.getByText('running').waitFor()
  await until('all that were drawn to have installed it, on the screen too', async () => {
    const [figures] = await sql<{ drawn: number; installed: number }>(
      `SELECT count(*)::int AS drawn, count(installed_at)::int AS installed
       FROM releases_app_exposure WHERE release = $1 AND arm = 'treatment'`,
      id,
    )
    const { drawn, installed } = figures ?? { drawn: 0, installed: 0 }
    const text = await row.locator('[data-figure=reached]').textContent()
    return installed > 5 && installed === drawn && text === `${installed} of ${drawn}`
  })

  await releases.move(id, 'roll-back', 'customers complain')
  await row.waitFor({ state: 'detached' })
  // Where nothing needed attention as the page was opened, there is a line, which says that something does now.
  const more = page.getByRole('button', { name: 'Show what needs attention' })
  await more.or(page.locator('[data-concern]')).first().waitFor()
  if (await more.isVisible()) await more.click()
  const concern = page.locator('[data-concern]').filter({ has: page.getByRole('link', { name: `${TASK} 1.0.0` }) })
  await concern.waitFor()
  const [move] = await sql<{ reason: string }>(
    "SELECT reason FROM releases_app_transition WHERE release_id = $1 AND after = 'rolled-back'",
    id,
  )
  await concern.getByText('Now', { exact: true }).waitFor()
  await concern.getByText(move?.reason ?? 'no such move').waitFor()
  const events = page.getByRole('list', { name: 'Events' })
  await events.getByRole('button', { name: /tone 1\.0\.0 rolled back/ }).waitFor()

  await concern.getByRole('button', { name: `Acknowledge ${TASK} 1.0.0` }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'Note' }).fill('the shop was told')
  await dialog.getByRole('button', { name: 'Acknowledge' }).click()
  await concern.waitFor({ state: 'detached' })
  await page.reload()
  await page.getByRole('button', { name: 'Show 1 acknowledged' }).click()
  await concern.getByText(/the shop was told/).waitFor()
  expect(await someone.accessibilityFaults()).toEqual([])
  await someone.picture('fleet-acknowledged')
  await concern.getByRole('button', { name: /^Reopen/ }).click()
  await concern.getByText('Now', { exact: true }).waitFor()
  await concern.getByRole('link').click()
  await page.waitForURL(`**/releases/${id}`)
})

test('what is looked at is in the address, chosen with the keyboard', async () => {
  const someone = await visitor({ theme: 'dark' })
  const { page } = someone
  const address = () => new URL(page.url()).search
  await page.goto('/')
  const app = page.getByRole('combobox', { name: 'App' })
  await app.focus()
  await page.keyboard.type('mark')
  await page.getByRole('option', { name: world.app }).waitFor()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await until('the app in the address', () => Promise.resolve(address() === `?app=${world.app}`))
  await page.getByRole('radio', { name: '6 h' }).focus()
  await page.keyboard.press('Space')
  await until('the span in the address', () => Promise.resolve(address() === `?app=${world.app}&span=6h`))

  await page.reload()
  await page.locator('[data-kind]').first().waitFor()
  expect(await app.inputValue()).toBe(world.app)
  expect(await page.getByRole('radio', { name: '6 h' }).isChecked()).toBe(true)

  someone.expectsComplaint(/400.*\/api\/v1\/fleet/)
  await page.goto('/?app=nobody')
  await page.getByRole('alert').getByText('app', { exact: true }).waitFor()
  expect(await someone.accessibilityFaults()).toEqual([])
  await app.focus()
  await page.getByRole('option', { name: 'All apps' }).waitFor()
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('Enter')
  await page.locator('[data-kind]').first().waitFor()
  expect(address()).toBe('')
})

async function shownRates(page: Page): Promise<Record<string, string> & { at: string }> {
  return page.locator('[data-rates-at]').evaluate((list) => {
    const names = [...list.querySelectorAll('dt')].map((name) => name.textContent)
    const values = [...list.querySelectorAll('dd')].map((value) => value.textContent)
    const shown = Object.fromEntries(names.map((name, index) => [name, values[index] ?? '']))
    return { ...shown, at: (list as HTMLElement).dataset.ratesAt ?? '' }
  })
}

async function storedRates(until: string): Promise<Record<string, string>> {
  const [sums] = await sql<{ check_ins: number; offers: number; installs: number; failures: number }>(
    `SELECT coalesce(sum(check_ins), 0)::int AS check_ins, coalesce(sum(offers), 0)::int AS offers,
       coalesce(sum(installs), 0)::int AS installs, coalesce(sum(failures), 0)::int AS failures
     FROM devices_app_pulse WHERE at >= $1::timestamptz - interval '10 s' AND at < $1::timestamptz`,
    until,
  )
  const told = (count: number | undefined) => rate((count ?? 0) / 10)
  return {
    'Check-ins/s': told(sums?.check_ins),
    'Offers/s': told(sums?.offers),
    'Installs/s': told(sums?.installs),
    'Failures/s': told(sums?.failures),
  }
}
