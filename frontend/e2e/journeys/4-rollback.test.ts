import { cp, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { visitor } from '../support/browser'
import * as releases from '../support/releases'
import { inFolder, same, sql, until, walle } from '../support/world'

/** All devices at once, and hardly a failure allowed: the first that reports one ends it. */
const STRICT = {
  simulation: false,
  control_percent: 0,
  stages: [{ kind: 'gray', percent: 100, dwell_s: 5, evidence: 30 }],
  limits: { failure_rate: 0.00001 },
}

const DIGITS = new URL('../../../examples/image/task', import.meta.url).pathname
/** Fails on every input: of one that fails on some, no device may have met one yet when all have reported. */
const BROKEN = '1.3.0'
const FAILING = `def run(inputs, context):
    raise ValueError("no digit in this image")
`

async function uploadBroken(): Promise<void> {
  await inFolder(async (folder) => {
    await cp(DIGITS, folder, { recursive: true })
    await writeFile(join(folder, 'main.py'), FAILING)
    await walle('version', 'upload', folder, 'camera/digits', BROKEN)
  })
}

test('failures beyond the limit roll a release back by itself: a banner, and a line in the charts', async () => {
  await uploadBroken()
  const release = await releases.draft('camera/digits', BROKEN, STRICT)
  const someone = await visitor({ theme: 'dark', width: 1920, height: 1080 })
  const { page } = someone
  await page.goto(`/releases/${release}`)
  await releases.shows(page, 'draft')
  await releases.move(release, 'start')

  await releases.shows(page, 'rolled-back')
  const banner = page.getByRole('alert').filter({ hasText: 'Rolled back automatically.' })
  await banner.waitFor()
  const [last] = await sql<{ reason: string; actor: string }>(
    `SELECT reason, actor_name AS actor FROM releases_app_transition WHERE release_id = $1 ORDER BY id DESC LIMIT 1`,
    release,
  )
  expect(last?.actor).toBe('system')
  expect(await banner.textContent()).toContain(last?.reason)
  const mark = page.getByRole('list', { name: 'Events' }).getByRole('button', { name: /Rolled back/ })
  await mark.focus()
  await page.getByRole('tooltip').filter({ hasText: 'Rolled back' }).waitFor()
  await page.locator('[data-verdict="fail"]').waitFor()
  const check = page.locator('tr[data-check="limit"][data-check-state="fails"]')
  expect(await check.textContent()).toMatch(/0\.001 %.* against it; fails from .*correct the version/)
  await page.getByText(/^Walle rolled the release back in Gray 100 %/).waitFor()
  expect(await someone.accessibilityFaults()).toEqual([])

  // Devices that had it say so, go back, and are still counted.
  await until('the screen to say what PostgreSQL does', async () => {
    const counted = await releases.countedStages(release)
    return counted.length === 1 && same(await releases.shownStages(page), counted)
  })
  await until('no device to have it any more, above and at the end of the curve', async () => {
    const curve = page.getByRole('figure', { name: 'Devices over time' }).getByText('Have it now').locator('strong')
    return (await page.locator('[data-having="0"]').count()) > 0 && (await curve.textContent()) === '0'
  })
  await someone.picture('release-rolled-back-dark-1920')
  await check.scrollIntoViewIfNeeded()
  await someone.picture('release-checks-dark-1920')
  await page.getByText('Rule as JSON').click()
  await page.getByLabel('Rule', { exact: true }).getByText('"fact": "app_version"').waitFor()
  await someone.picture('release-sentences-dark-1920')
  expect(await releases.standing(release)).toEqual({ state: 'rolled-back', position: 0 })
  expect(await releases.shownEntries(page)).toEqual(await releases.auditedEntries(release))
  const quarantined = await sql('SELECT 1 FROM releases_app_quarantine WHERE release_id = $1', release)
  expect(quarantined.length).toBe(1)

  // From the number of those that failed to each of them, and what it said.
  await page.locator('tr[data-stage="0"] [data-count="failed"] a').click()
  await page.waitForURL(`**/releases/${release}/devices?became=failed&stage=1`)
  const table = page.getByRole('grid', { name: 'Devices of the release' })
  let failed: { device: string; message: string }[] = []
  await until('the devices that failed', async () => {
    // Runs that were in progress when it was rolled back are reported later.
    failed = await sql(
      `SELECT DISTINCT ON (e.device) e.device, r.message
       FROM releases_app_exposure e JOIN devices_app_report r USING (release, app_id, device, outcome)
       WHERE release = $1 AND outcome = 'failure' ORDER BY e.device, r.received_at DESC`,
      release,
    )
    return failed.length > 0 && (await table.getByText('Failed').count()) === failed.length
  })
  for (const { device, message } of failed) {
    const row = table.getByRole('row').filter({ has: page.getByRole('link', { name: device }) })
    expect(await row.textContent()).toContain(message)
  }
  expect(await someone.accessibilityFaults()).toEqual([])
  await someone.picture('release-devices-dark-1920')
  await page.getByRole('button', { name: /^Silent/ }).click()
  await page.getByText('No device fits the filters').waitFor()
  await page.goBack()
  await releases.shows(page, 'rolled-back')
})
