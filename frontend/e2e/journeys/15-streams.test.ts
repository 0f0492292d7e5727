import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Locator } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { visitor, type Theme, type Visitor } from '../support/browser'
import { enrol, reportRuns } from '../support/devices'
import * as releases from '../support/releases'
import { inFolder, sql, until, walle, world } from '../support/world'

const TASK = 'shop/visits'
const TASK_TOML = `
[task]
description = "What a visit of an item's page was like"
entry_point = "main:run"

[outputs.views]
type = "integer"
min = 0

[trigger]
on = ["page_enter:item", "click"]
`
const MAIN = 'def run(inputs, context):\n    return {"views": 1}\n'
const STRATEGY = {
  simulation: false,
  control_percent: 0,
  stages: [{ kind: 'gray', percent: 100, dwell_s: 0, evidence: 1 }],
}
const FEATURE = { item: 'i-7', views: 3, seconds: 41.5, encoding: [0.25, -1, 0.5], kinds: { click: 2, exposure: 9 } }

/** No other device's. */
const OS_VERSION = '15.15.15'

let release = 0
let device = ''

beforeAll(async () => {
  await inFolder(async (folder) => {
    await writeFile(join(folder, 'task.toml'), TASK_TOML)
    await writeFile(join(folder, 'main.py'), MAIN)
    await walle('version', 'upload', folder, TASK, '1.0.0')
  })
  release = await releases.draft(TASK, '1.0.0', STRATEGY, { fact: 'os_version', equals: OS_VERSION })
  await releases.move(release, 'start', 'journey 15')
  device = await enrol(`os_version=${OS_VERSION}`)
}, 120_000)

afterAll(async () => {
  if (release) await releases.move(release, 'abort', 'journey 15 is over')
})

test('a release of a stream task says on how many devices its condition has not occurred, and leads to them', async () => {
  await until('the device has installed it', async () => {
    const found = 'SELECT 1 FROM releases_app_exposure WHERE release = $1 AND installed_at IS NOT NULL'
    return (await sql(found, release)).length === 1
  })
  const someone = await visitor()
  const { page } = someone
  await page.goto(`/releases/${release}`)
  const waiting = page.locator('a[data-count="awaiting_trigger"]')
  await page.getByText('on page_enter:item, then click', { exact: true }).first().waitFor()
  expect(await waiting.textContent()).toBe('1')
  expect(await someone.accessibilityFaults()).toEqual([])
  await pictures(waiting, 'stream-release', someone)

  await waiting.click()
  const waits = page.getByRole('row').filter({ hasText: device }).getByText('Awaiting trigger')
  await waits.waitFor()
  expect(new URL(page.url()).searchParams.get('became')).toBe('awaiting_trigger')
  expect(await someone.accessibilityFaults()).toEqual([])
  await pictures(waits, 'stream-devices', someone)
})

test('a device shows what a stream task costs it, and its newest features', async () => {
  await reportRuns(device, TASK, '1.0.0', FEATURE)
  const someone = await visitor()
  const { page } = someone
  await page.goto(`/devices/${world.app}/${device}`)
  const row = page.locator(`tr[data-stream="${TASK}"]`)
  expect(await row.locator('[data-count="runs"]').textContent()).toBe('41')
  const features = page.getByRole('region', { name: `Features of ${TASK}` })
  await features.locator('summary').getByText('i-7').waitFor()
  await features.locator('summary').click()
  expect(JSON.parse((await features.locator('pre').textContent()) ?? '')).toEqual(FEATURE)
  expect(await someone.accessibilityFaults()).toEqual([])
  await pictures(features, 'stream-costs', someone)

  await page.goto(`/tasks/${TASK}`)
  await page.getByText('41 runs').first().waitFor()
  await page.getByText('2 shed').first().waitFor()
  await page.getByText('the events of the page visit').waitFor()
  await pictures(page.getByText('2 shed').first(), 'stream-task', someone)
})

/** Of something on a page, in both themes, wide and narrow: nothing sticks out. */
async function pictures(of: Locator, name: string, someone: Visitor): Promise<void> {
  const page = of.page()
  for (const theme of ['light', 'dark'] satisfies Theme[]) {
    await page.emulateMedia({ colorScheme: theme })
    for (const width of [700, 1280]) {
      await page.setViewportSize({ width, height: 900 })
      const sideways = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
      expect(sideways, `what sticks out at ${width}`).toBeLessThanOrEqual(0)
      await of.scrollIntoViewIfNeeded()
      await someone.picture(`${name}-${theme}-${width}`)
    }
  }
  await page.emulateMedia({ colorScheme: 'light' })
}
