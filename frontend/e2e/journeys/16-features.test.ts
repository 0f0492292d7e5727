import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Locator } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { visitor, type Visitor } from '../support/browser'
import { sendFeatures } from '../support/devices'
import { looks } from '../support/looks'
import { inFolder, walle, world } from '../support/world'

/** Nobody else's, and another one each time that the journey begins. */
const DEVICE = `journey-16-${Date.now().toString(36)}`
const TASK = 'shop/visits'
const OLD = 40
const values = (n: number) => ({
  item: `i-${n}`,
  views: n % 7,
  seconds: 41.5 + n,
  encoding: [0.25, -1, 0.5],
  kinds: { click: 2 },
})

beforeAll(async () => {
  const features = Array.from({ length: OLD }, (_, n) => ({ ago: 60 * (OLD - n) + 75, values: values(n) }))
  await sendFeatures(DEVICE, TASK, features)
}, 120_000)

test('the page shows how much arrives, how late, and who reads it', async () => {
  const someone = await visitor()
  const { page } = someone
  await page.goto('/features')
  const row = page.locator(`tr[data-task="${TASK}"]`)
  await row.waitFor()
  await page.getByRole('figure', { name: 'Delay since the event' }).waitFor()
  await page.locator('[data-figure="Features/s"]').waitFor()
  expect(Number(await row.locator('[data-count="features"]').textContent())).toBeGreaterThanOrEqual(OLD)
  await pictures('features', someone)

  await row.getByRole('link', { name: `Only these: features of ${TASK}` }).click()
  await page.locator('tr[data-number="seconds"]').waitFor()
  expect(new URL(page.url()).searchParams.get('task')).toBe(TASK)
})

test('a feature appears as it arrives, without a reload, and opens with all of its values', async () => {
  const someone = await visitor()
  const { page } = someone
  await page.goto(`/features?app=${world.app}&device=${DEVICE}`)
  const newest = page.getByRole('grid', { name: 'Newest features' })
  await newest.getByText(`i-${OLD - 1}`).waitFor()
  expect(await top(newest), 'what was chosen comes first').toBeLessThan(await top(page.getByText('Consumers').first()))
  await page.evaluate(() => (document.body.dataset.kept = 'yes'))

  await sendFeatures(DEVICE, TASK, [{ ago: 0, values: { ...values(99), note: 'just now' } }])
  const arrived = newest.getByRole('row').filter({ hasText: 'i-99' })
  await arrived.waitFor()
  expect(await page.evaluate(() => document.body.dataset.kept)).toBe('yes')
  await arrived.getByText('i-99').click()
  const whole = page.getByLabel('All values')
  await whole.waitFor()
  expect(JSON.parse((await whole.textContent()) ?? '')).toMatchObject({ note: 'just now', encoding: [0.25, -1, 0.5] })
  expect(new URL(page.url()).searchParams.get('feature')).toMatch(/^\d+$/)
  await pictures('feature', someone)

  await page.reload()
  await page.getByLabel('All values').getByText('just now').waitFor()
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await page.locator(`tr[data-task="${TASK}"]`).waitFor()
  expect(new URL(page.url()).searchParams.get('device')).toBeNull()
})

test('filters that no feature fits say so, and lead back', async () => {
  const { page } = await visitor()
  await page.goto('/features?device=nobody-has-this-one')
  await page.getByText('No feature fits the filters').waitFor()
  await page.getByRole('link', { name: 'Show all features' }).click()
  await page.getByRole('grid', { name: 'Newest features' }).waitFor()
})

test('the command line exports the same', async () => {
  const lines = await inFolder(async (folder) => {
    const file = join(folder, 'features.ndjson')
    await walle('feature', 'export', file, '--device', DEVICE)
    return (await readFile(file, 'utf8')).trimEnd().split('\n')
  })
  const items = lines.map((line) => (JSON.parse(line) as { values: { item: string } }).values.item)
  expect(items.slice(0, OLD)).toEqual(Array.from({ length: OLD }, (_, n) => `i-${n}`))
})

function top(of: Locator): Promise<number> {
  return of.evaluate((element) => element.getBoundingClientRect().top)
}

/** In both themes, narrow and wide: nothing sticks out, and axe finds nothing. */
async function pictures(name: string, someone: Visitor): Promise<void> {
  await looks(someone, name, [1280, 768, 1920], 1920)
  await someone.page.emulateMedia({ colorScheme: 'light' })
}
