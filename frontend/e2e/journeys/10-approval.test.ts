import { afterAll, beforeAll, expect, test } from 'vitest'
import { account, visitorAs } from '../support/people'
import * as releases from '../support/releases'
import { api, sql, until } from '../support/world'

const TASK = 'comments/sentiment'
const ROLES = { 'scenario:comments': 'releaser', 'app:market': 'viewer' }

beforeAll(async () => {
  await api('PATCH', 'scenarios/comments', { approval_required: true })
  await account('anna', ROLES)
  await account('ben', ROLES)
  await account('halter', { 'app:market': 'developer' })
})

afterAll(async () => {
  await api('PATCH', 'scenarios/comments', { approval_required: false })
})

/** Anna's release of a new version, started by her, on both of their screens. */
async function waiting(version: string) {
  await releases.registerAgain(TASK, '1.0.0', version)
  const [anna, ben] = [await visitorAs('anna'), await visitorAs('ben')]
  const body = releases.request(TASK, version, releases.HALF)
  const { id } = await anna.writes<{ id: number }>('POST', 'releases', body)
  for (const { page } of [anna, ben]) {
    await page.goto(`/releases/${id}`)
    await releases.shows(page, 'draft')
    await page.locator('[data-live="live"]').waitFor()
  }
  await anna.page.getByRole('button', { name: 'Start', exact: true }).click()
  await releases.confirmNumber(anna.page, 'Start')
  for (const { page } of [anna, ben]) await releases.shows(page, 'awaiting-approval')
  return { id, anna, ben }
}

const LAST = `SELECT action, actor_name AS actor, before, after, reason FROM releases_app_transition
  WHERE release_id = $1 ORDER BY id DESC LIMIT 1`

test('somebody else approves, and both screens follow', async () => {
  const { id, anna, ben } = await waiting('1.4.0')
  const hers = anna.page.getByRole('region', { name: 'Approval' })
  await hers.getByText('You created this release: somebody else has to approve it.').waitFor()
  await hers.getByText('Possible approvers: ben or site staff.').waitFor()
  expect(await anna.accessibilityFaults()).toEqual([])
  await anna.picture('release-approval-light-1280')
  const approve = anna.page.getByRole('button', { name: 'Approve', exact: true })
  expect(await approve.getAttribute('aria-description')).toContain('somebody else')
  await approve.hover()
  await anna.page.getByRole('tooltip').getByText('You created this release: somebody else has to approve it.').waitFor()
  await approve.press('Enter')
  expect(await anna.page.getByRole('dialog').count()).toBe(0)
  expect(await releases.standing(id)).toEqual({ state: 'awaiting-approval', position: null })

  await ben.page.getByRole('region', { name: 'Approval' }).getByText('anna created it; you can approve').waitFor()
  await ben.page.getByLabel('Reason of the next move').fill('figures look good')
  await ben.page.getByRole('button', { name: 'Approve', exact: true }).click()
  const dialog = ben.page.getByRole('dialog')
  expect(await dialog.getByRole('button', { name: 'Approve', exact: true }).isDisabled()).toBe(true)
  await releases.confirmNumber(ben.page, 'Approve')
  for (const { page } of [anna, ben]) {
    await releases.shows(page, 'running')
    await page.getByRole('cell', { name: 'figures look good' }).waitFor()
    expect(await page.getByRole('region', { name: 'Approval' }).count()).toBe(0)
  }
  expect(await sql(LAST, id)).toEqual([
    { action: 'approve', actor: 'ben', before: 'awaiting-approval', after: 'running', reason: 'figures look good' },
  ])
  for (const { page } of [anna, ben]) {
    // The release goes on meanwhile.
    await until('the trail as in PostgreSQL', async () => {
      return (await releases.shownEntries(page)).join() === (await releases.auditedEntries(id)).join()
    })
  }
})

test('somebody else rejects with a reason, which who made it reads at once', async () => {
  const { id, anna, ben } = await waiting('1.4.1')
  await ben.page.getByLabel('Reason of the next move').fill('the samples are too few')
  await ben.page.getByRole('button', { name: 'Reject', exact: true }).click()
  for (const { page } of [anna, ben]) {
    await releases.shows(page, 'rejected')
    await page.getByRole('alert').getByText('the samples are too few').waitFor()
    await page.getByText('by ben').waitFor()
  }
  expect(await sql(LAST, id)).toEqual([
    {
      action: 'reject',
      actor: 'ben',
      before: 'awaiting-approval',
      after: 'rejected',
      reason: 'the samples are too few',
    },
  ])
})

test('who may only halt is told who can approve, and offered no way to undo what they cannot', async () => {
  const { id } = await waiting('1.4.2')
  const { page } = await visitorAs('halter')
  await page.goto(`/releases/${id}`)
  const approval = page.getByRole('region', { name: 'Approval' })
  await approval
    .getByText('This requires the role releaser or owner in scenario comments. Ask an owner there')
    .waitFor()
  // They have no role in the scenario: who is in it is not theirs to know.
  expect(await approval.getByText('Possible approvers').count()).toBe(0)
  await page.getByRole('button', { name: 'Abort', exact: true }).click()
  await releases.shows(page, 'aborted')
  await page.getByText(`${TASK} 1.4.2 aborted`).waitFor()
  expect(await page.getByRole('button', { name: 'Undo' }).count()).toBe(0)
  expect(await releases.standing(id)).toEqual({ state: 'aborted', position: null })
})
