import { beforeAll, expect, test } from 'vitest'
import { visitor } from '../support/browser'
import * as releases from '../support/releases'
import { same, sql, until } from '../support/world'

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
  await page.getByLabel('Reason of the next move').fill('looking at it')
  await page.getByRole('button', { name: 'Pause' }).click()
  await releases.shows(page, 'paused')
  await page.getByText(`${TASK} ${VERSION} paused`).waitFor()
  expect(await releases.standing(release)).toEqual({ state: 'paused', position: 0 })
  await page.getByRole('button', { name: 'Undo' }).click()
  await releases.shows(page, 'running')
  await page.getByText(`${TASK} ${VERSION} resumed`).waitFor()
  const moves = await sql<{ said: string }>(
    `SELECT concat_ws(' ', action, reason) AS said FROM tasks_app_transition WHERE release_id = $1 ORDER BY id DESC LIMIT 2`,
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
  await page.getByRole('button', { name: 'Promote' }).click()
  await releases.confirmNumber(page, 'Promote')

  await page.getByRole('alert').filter({ hasText: 'Promote was not done' }).waitFor()
  await page.getByText('Running, Gray 50 %').waitFor()
  expect(expectedMeanwhile).toBe(1)
  expect(await releases.standing(release)).toEqual({ state: 'running', position: 0 })
})

test('a rollback takes one click; undone, the same is released again', async () => {
  const { page } = await visitor()
  await page.goto(`/releases/${release}`)
  await releases.shows(page, 'running')
  await page.getByRole('button', { name: 'Roll back' }).click()
  await releases.shows(page, 'rolled-back')
  const undo = page.getByRole('button', { name: 'Undo' })
  await undo.waitFor()
  const quarantine =
    'SELECT 1 FROM tasks_app_quarantine q JOIN tasks_app_taskversion v ON v.id = q.version_id WHERE v.version = $1'
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
