import { beforeAll, expect, test } from 'vitest'
import { visitor } from '../support/browser'
import * as releases from '../support/releases'
import { same, sql, until, world } from '../support/world'

const TASK = 'shop/recommend'
const VERSION = '1.5.0'
let release = 0

beforeAll(async () => {
  await releases.registerAgain(TASK, '1.0.0', VERSION)
  release = await releases.draft(TASK, VERSION, releases.HALF)
  await releases.move(release, 'start')
})

test('a pause takes one click, and so does undoing it', async () => {
  const { page } = await visitor()
  await page.goto(`/releases/${release}`)
  await releases.shows(page, 'running')
  await releases.isJudged(release)
  await page.getByLabel('Reason of the next move').fill('looking at it')
  await page.getByRole('button', { name: 'Pause', exact: true }).click()
  await releases.shows(page, 'paused')
  await page.getByText(`${TASK} ${VERSION} paused`).waitFor()
  expect(await releases.standing(release)).toEqual({ state: 'paused', position: 0 })
  await page.getByRole('button', { name: 'Undo' }).click()
  await releases.shows(page, 'running')
  await page.getByText(`${TASK} ${VERSION} resumed`).waitFor()
  const moves = await sql<{ said: string }>(
    `SELECT concat_ws(' ', action, reason) AS said FROM releases_app_transition WHERE release_id = $1 ORDER BY id DESC LIMIT 2`,
    release,
  )
  expect(moves.map(({ said }) => said)).toEqual(['resume pause undone', 'pause looking at it'])
  await until('the trail', async () => {
    return same(await releases.shownEntries(page), await releases.auditedEntries(release))
  })
})

test('what the server refuses is shown as it was', async () => {
  const someone = await visitor()
  const { page } = someone
  someone.expectsComplaint(/412/)
  await page.goto(`/releases/${release}`)
  await page.getByText('Running, Gray 50 %').waitFor()

  // While the request is on its way, somebody else pauses the release and resumes it.
  let expectedMeanwhile = 0
  await page.route('**/promote', async (route) => {
    await page.getByText('Running, Gray 100 %').waitFor()
    expectedMeanwhile += 1
    await releases.move(release, 'pause')
    await releases.move(release, 'resume')
    await route.continue()
  })
  await page.getByRole('textbox', { name: 'Reason of the next move' }).fill('seen on our own devices')
  await page.getByRole('button', { name: 'Promote', exact: true }).click()
  await releases.confirmNumber(page, 'Promote')

  await page.getByRole('alert').filter({ hasText: 'Promote failed' }).waitFor()
  await page.getByText('Running, Gray 50 %').waitFor()
  expect(expectedMeanwhile).toBe(1)
  expect(await releases.standing(release)).toEqual({ state: 'running', position: 0 })
})

test('a rollback of what is under way takes one click; the same can be released again', async () => {
  const { page } = await visitor()
  await page.goto(`/releases/${release}`)
  await releases.shows(page, 'running')
  const button = page.getByRole('button', { name: 'Roll back' })
  await until('what the rollback would do, with as many devices as PostgreSQL counts', async () => {
    const [having] = await sql<{ devices: number }>(
      `SELECT count(*)::int AS devices FROM devices_app_installedtask i JOIN tasks_app_taskversion v
       ON i.manifest = left(v.manifest_digest, 24) WHERE i.task = $1 AND v.version = $2`,
      TASK,
      VERSION,
    )
    const devices = having?.devices ? String(having.devices) : 'No'
    const said = `${VERSION} goes into quarantine. ${devices} device`
    const shown = (await page.locator('[data-rollback]').textContent()) ?? ''
    return /^Devices return to 1\.0\.0 \(release \d+\)/.test(shown) && shown.includes(said)
  })
  expect(await button.getAttribute('aria-describedby')).toBe(await page.locator('[data-rollback]').getAttribute('id'))
  await button.click()
  await releases.shows(page, 'rolled-back')
  const undo = page.getByRole('button', { name: 'Release again' })
  await undo.waitFor()
  const quarantine =
    'SELECT 1 FROM releases_app_quarantine q JOIN tasks_app_taskversion v ON v.id = q.version_id WHERE v.version = $1'
  expect((await sql(quarantine, VERSION)).length).toBe(1)

  await undo.click()
  await page.waitForURL((url) => url.pathname !== `/releases/${release}`)
  await releases.shows(page, 'running')
  const again = await releases.shownRelease(page)
  expect((await sql(quarantine, VERSION)).length).toBe(0)
  expect(await releases.standing(release)).toEqual({ state: 'rolled-back', position: 0 })
  expect(await releases.standing(again)).toEqual({ state: 'running', position: 0 })
  await until('devices that have it again, as PostgreSQL counts them', async () => {
    const counted = await releases.countedStages(again)
    const some = counted.some((stage) => !/^0: (\d+ ){2}0 /.test(stage))
    return some && same(await releases.shownStages(page), counted)
  })
})

test('a rollback that takes a version from devices which had it before asks for the version', async () => {
  const version = '1.6.0'
  await releases.registerAgain(TASK, '1.0.0', version)
  const complete = async () => {
    const made = await releases.draft(TASK, version, releases.HALF, { devices: ['nobody'] })
    await releases.move(made, 'start')
    await releases.move(made, 'complete', 'nobody has it yet')
    return made
  }
  const first = await complete()
  const again = await complete()
  const { page } = await visitor()
  await page.goto(`/releases/${again}`)
  await releases.shows(page, 'complete')
  await page.getByRole('button', { name: 'Roll back' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText(`${version} was released before: release ${first} to ${world.app}.`).waitFor()
  expect(await releases.standing(again)).toMatchObject({ state: 'complete' })
  await dialog.getByLabel('Reason').fill('too slow')
  await dialog.getByLabel('Type the version').fill(version)
  await page.keyboard.press('Enter')
  await releases.shows(page, 'rolled-back')
  expect(await releases.standing(first)).toMatchObject({ state: 'superseded' })
})

test('a complete release is rolled back, and a paused one resumed, once it was said why', async () => {
  const version = '1.15.0'
  await releases.registerAgain(TASK, '1.0.0', version)
  const made = await releases.draft(TASK, version, releases.HALF)
  await releases.move(made, 'start')
  await releases.isJudged(made)
  await releases.move(made, 'pause')
  const someone = await visitor()
  const { page } = someone
  await page.goto(`/releases/${made}`)
  await releases.shows(page, 'paused')
  await page.getByRole('button', { name: 'Resume', exact: true }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('If it fails, devices return to').waitFor()
  const number = (await dialog.locator('label code').textContent()) ?? ''
  await dialog.getByLabel('Type the number').fill(number)
  expect(await dialog.getByRole('button', { name: 'Resume', exact: true }).isDisabled()).toBe(true)
  await dialog.getByLabel('Reason').fill('it was the network')
  await someone.picture('release-resume')
  await dialog.getByRole('button', { name: 'Resume', exact: true }).click()
  await releases.shows(page, 'running')
  await releases.move(made, 'complete', 'seen on our own devices')
  await releases.shows(page, 'complete')
  await page.getByRole('button', { name: 'Roll back' }).click()
  await dialog.getByText(/Devices return to .* now in/).waitFor()
  expect(await dialog.getByRole('button', { name: 'Roll back' }).isDisabled()).toBe(true)
  await dialog.getByLabel('Reason').fill('customers complain')
  await someone.picture('release-rollback')
  await dialog.getByRole('button', { name: 'Roll back' }).click()
  await releases.shows(page, 'rolled-back')
  await page.goto(`/releases/new?clone=${made}`)
  await page.locator('[data-cloned-version]').getByText('the newest version that may be released').waitFor()
})

test('a complete release shows how it keeps to its limit, which its strategy says', async () => {
  const someone = await visitor({ theme: 'dark' })
  const { page } = someone
  // While another one had taken its place, it may have been left: it is looked for every half minute.
  const watched = await until('a complete release is watched', async () => {
    const [found] = await sql<{ id: number }>(
      `SELECT r.id::int FROM releases_app_completionwatch w JOIN releases_app_release r ON r.id = w.release_id
       WHERE w.task = $1 AND r.state = 'complete' ORDER BY r.id LIMIT 1`,
      TASK,
    )
    return found
  })
  await page.goto(`/releases/${watched.id}`)
  await page.locator('[data-after-complete="ok"]').getByText('Watched, and within its limit').waitFor()
  await page.getByRole('img', { name: /devices failed in this period/ }).scrollIntoViewIfNeeded()
  expect(await someone.accessibilityFaults()).toEqual([])
  await someone.picture('release-after-complete-dark')
  await page.goto(`/releases/new?clone=${watched.id}&step=stages`)
  const watch = page.getByLabel('Watch the release after it is complete')
  await watch.scrollIntoViewIfNeeded()
  await page.getByLabel('If it exceeds its limit').selectOption('roll-back')
  someone.expectsComplaint(/400.*releases\/plan/)
  await page.getByLabel('Limit of failures').fill('0.001')
  await page.getByText('Expected at least the failure_rate').first().waitFor()
  await page.getByLabel('Limit of failures').fill('0.05')
  await page.getByText('Expected at least the failure_rate').first().waitFor({ state: 'detached' })
  expect(await someone.accessibilityFaults()).toEqual([])
  await someone.picture('wizard-after-complete-dark')
})
