import { readFile } from 'node:fs/promises'
import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { visitor } from '../support/browser'
import { enrol } from '../support/devices'
import * as releases from '../support/releases'
import { api, same, sql, until, world } from '../support/world'

const TASK = 'shop/recommend'
/** Released to three devices in ten, while four are held back. */
const HALFWAY = {
  simulation: false,
  control_percent: 40,
  stages: [
    { kind: 'gray', percent: 30, dwell_s: 3600, evidence: 0 },
    { kind: 'gray', percent: 100, dwell_s: 3600, evidence: 0 },
  ],
}

let release = 0
let traveller = ''

beforeAll(async () => {
  traveller = await enrol('batch=journey-9')
  await releases.registerAgain(TASK, '1.0.0', '1.0.9')
  release = await releases.draft(TASK, '1.0.9', HALFWAY)
  await releases.move(release, 'start', 'journey 9')
}, 120_000)

afterAll(async () => {
  if (release) await releases.move(release, 'abort', 'journey 9 is over')
})

test('a search by facts is in the address, and finds what PostgreSQL has', async () => {
  const someone = await visitor()
  const { page } = someone
  const [asked] = await sql<{ os: string; version: string }>(
    `SELECT facts->>'os' AS os, facts->>'os_version' AS version FROM devices_app_device
     WHERE facts->>'os' = 'android' GROUP BY 1, 2 ORDER BY count(*), 2 LIMIT 1`,
  )
  const { os, version } = asked ?? { os: '', version: '' }
  await page.goto(`/devices?app=${world.app}`)
  await expectToBe(page, await devices('TRUE'))

  await field(page, 'System').fill(os)
  await page.keyboard.press('Enter')
  await field(page, 'Other attribute').fill('os_version')
  await page.keyboard.press('Tab')
  await field(page, /^is/).fill(version)
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Add' }).click()
  const found = await devices(`facts->>'os' = $1 AND facts->>'os_version' = $2`, os, version)
  await expectToBe(page, found)
  expect(await someone.accessibilityFaults()).toEqual([])

  const address = new URL(page.url())
  expect(address.searchParams.get('os')).toBe(os)
  expect(address.searchParams.getAll('where')).toEqual([`os_version=${version}`])
  await page.reload()
  await expectToBe(page, found)
  expect(await field(page, 'System').inputValue()).toBe(os)

  await page.getByRole('button', { name: `Remove os_version = ${version}` }).click()
  await expectToBe(page, await devices(`facts->>'os' = $1`, os))
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await expectToBe(page, await devices('TRUE'))
  expect(new URL(page.url()).search).toBe(`?app=${world.app}`)
})

test('beginnings of ids, installed versions, moments and rules are looked for, too', async () => {
  const someone = await visitor({ theme: 'dark' })
  const { page } = someone
  await page.goto(`/devices?app=${world.app}`)
  await page.getByRole('row').nth(1).waitFor()
  await page.keyboard.press('/')
  await page.keyboard.type(traveller.slice(0, 12))
  await expectToBe(page, await devices('device LIKE $1', `${traveller.slice(0, 12)}%`))
  expect(new URL(page.url()).searchParams.get('q')).toBe(traveller.slice(0, 12))

  const query = new URLSearchParams({ app: world.app, task: 'camera/digits', seen_before: '2000-01-01T00:00:00Z' })
  await page.goto(`/devices?${query}`)
  await page.getByText('No device fits the filters').waitFor()
  query.delete('seen_before')
  query.set('seen_since', '2020-01-01T00:00:00Z')
  await page.goto(`/devices?${query}`)
  await expectToBe(page, await devices(`profile ? 'camera/digits'`))

  await page.goto(`/devices?app=${world.app}`)
  await page.getByRole('button', { name: 'Rule' }).click()
  const rule = page.getByLabel('Targeting rule')
  await rule.fill('{"fact": ')
  await rule.press('Control+Enter')
  await page.getByText('This is not JSON').waitFor()
  await rule.fill('{"fact": "channel", "equals": "internal"}')
  await rule.press('Control+Enter')
  await expectToBe(page, await devices(`facts->>'channel' = 'internal'`))
  expect(await someone.accessibilityFaults()).toEqual([])

  someone.expectsComplaint(/400.*\/api\/v1\/devices/)
  await rule.fill('{"fact": "channel", "most": 3}')
  await rule.press('Control+Enter')
  await page.locator('.mantine-Textarea-error').filter({ hasText: 'rule' }).waitFor()
})

test('columns and filters are kept as a view, whose address is all that others need, and all rows go out as CSV', async () => {
  const someone = await visitor()
  const { page } = someone
  const found = await devices(`facts->>'os' = 'android'`)
  await page.goto(`/devices?app=${world.app}&os=android`)
  await expectToBe(page, found)
  await page.getByRole('button', { name: 'Columns' }).click()
  await page.getByRole('checkbox', { name: 'First seen' }).click()
  await page.getByRole('checkbox', { name: 'System' }).click()
  expect(await someone.accessibilityFaults()).toEqual([])
  await someone.picture('devices-columns')
  await page.keyboard.press('Escape')

  await page.getByRole('button', { name: 'Views' }).click()
  await page.getByLabel('Name of the view').fill('Android phones')
  await page.keyboard.press('Enter')
  const view = page.getByRole('link', { name: 'Android phones' })
  await view.waitFor()
  expect(await someone.accessibilityFaults()).toEqual([])
  await someone.picture('devices-views')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await expectToBe(page, await devices('TRUE'))
  await page.getByRole('button', { name: 'Views' }).click()
  await view.click()
  await expectToBe(page, found)

  const other = await visitor({ theme: 'dark' })
  await other.page.goto(page.url())
  await expectToBe(other.page, found)
  const heads = ['Device', 'State', 'Tasks and versions', 'Last report', 'App version', 'Last seen', 'First seen']
  expect(await other.page.getByRole('columnheader').allTextContents()).toEqual(heads)

  const downloading = other.page.waitForEvent('download')
  await other.page.getByRole('button', { name: 'Download CSV' }).click()
  const download = await downloading
  expect(download.suggestedFilename()).toBe('devices.csv')
  const [head, ...rows] = (await readFile(await download.path(), 'utf8')).trimEnd().split('\r\n')
  expect(head).toBe('device,state,tasks,health,version,seen,first')
  expect(rows.map((row) => row.split(',')[0])).toEqual(found)
})

test('a press on the head of a column sorts, and the address has the order', async () => {
  const { page } = await visitor()
  const names = async () => texts(page.getByRole('grid', { name: 'Tasks' }).locator('[data-index] > :first-child a'))
  const rows = await sql<{ name: string }>(
    `SELECT s.slug || '/' || t.slug AS name FROM tasks_app_task t JOIN tasks_app_scenario s ON s.id = t.scenario_id
     ORDER BY 1`,
  )
  const expected = rows.map(({ name }) => name)
  await page.goto('/tasks')
  await page.getByRole('columnheader', { name: 'Task' }).getByRole('button').click()
  await until('tasks by name', async () => same(await names(), expected))
  await page.getByRole('columnheader', { name: 'Task' }).getByRole('button').click()
  await until('tasks by name, the last first', async () => same(await names(), expected.toReversed()))
  expect(new URL(page.url()).search).toBe('?order=-name')
  await page.reload()
  await until('the same order', async () => same(await names(), expected.toReversed()))
})

test('what is said to be why agrees with the API, for a device that was offered and for one that is held back', async () => {
  const someone = await visitor()
  const { page } = someone
  const offered = await drawn('treatment')
  const heldBack = await drawn('control')
  for (const device of [offered, heldBack]) {
    await page.goto(`/devices/${world.app}/${device}`)
    await until(`the screen explains ${device} as the API does`, async () => {
      const shown = await explained(page)
      return same(shown, await explanations(device)) && shown.length > 0
    })
    expect(await someone.accessibilityFaults()).toEqual([])
  }
  const row = page.locator(`tr[data-release="${release}"]`)
  await row.getByText('the device is held back as control').waitFor()
  const [exposure] = await sql<{ arm: string; offered: boolean }>(
    'SELECT arm, offered_at IS NOT NULL AS offered FROM releases_app_exposure WHERE release = $1 AND device = $2',
    release,
    heldBack,
  )
  expect(exposure).toEqual({ arm: 'control', offered: false })
  await page
    .locator('li[data-kind="held-back"]')
    .filter({ hasText: `release ${release}` })
    .waitFor()
  await someone.picture('device-held-back')
})

test('a device is revoked with a reason, and undoing it reinstates it, also from the page of another device', async () => {
  const someone = await visitor()
  const { page } = someone
  const revokedAt = async () => {
    const [row] = await sql<{ at: Date | null }>(
      'SELECT revoked_at AS at FROM devices_app_device WHERE device = $1',
      traveller,
    )
    return row?.at
  }
  await page.goto(`/devices/${world.app}/${traveller}`)
  await page.getByRole('button', { name: 'Revoke' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('hears of no new version and of no rollback').waitFor()
  expect(await dialog.getByRole('button', { name: 'Revoke' }).isDisabled()).toBe(true)
  await dialog.getByLabel('Reason').fill('stolen')
  await someone.picture('device-revoke')
  await dialog.getByRole('button', { name: 'Revoke' }).click()
  await page.getByText('was revoked').waitFor()
  expect(await revokedAt()).toBeInstanceOf(Date)
  await page
    .locator('li[data-kind="revoked"]')
    .filter({ hasText: `by ${world.user}` })
    .waitFor()

  const [other = ''] = await devices('device <> $1', traveller)
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: /Go to/ }).fill(other)
  await page.getByRole('option', { name: other }).click()
  await page.getByRole('heading', { name: other }).waitFor()
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText(`${traveller} was reinstated`).waitFor()
  expect(await revokedAt()).toBeNull()
  await page.goBack()
  await page.getByRole('heading', { name: traveller }).waitFor()
  await page.getByRole('button', { name: 'Revoke' }).waitFor()
  const kept = await sql<{ action: string }>(
    `SELECT action FROM accounts_app_auditentry WHERE action IN ('device.revoke', 'device.reinstate') ORDER BY id`,
  )
  expect(kept.map(({ action }) => action)).toEqual(['device.revoke', 'device.reinstate'])
  await until('the timeline says both', async () => {
    const told = await page.locator('li[data-kind]').evaluateAll((all) => all.map((each) => each.dataset.kind))
    return told.filter((kind) => kind === 'revoked' || kind === 'reinstated').join() === 'reinstated,revoked'
  })
})

test('a refused revocation is taken back on the screen', async () => {
  const someone = await visitor()
  const { page } = someone
  await page.goto(`/devices/${world.app}/${traveller}`)
  const button = page.getByRole('button', { name: 'Revoke' })
  await button.waitFor()
  someone.expectsComplaint(/40[34]|400/)
  await button.click()
  await page.getByRole('dialog').getByLabel('Reason').fill('stolen')
  // Between the click and the server: earlier, the page may know it, and has no button any more.
  await page.route('**/revoke', async (route) => {
    await sql('UPDATE auth_user SET is_superuser = false, is_staff = false WHERE username = $1', world.user)
    await route.continue()
  })
  try {
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
    await page.getByRole('alert').getByText('was not revoked').waitFor()
  } finally {
    await sql('UPDATE auth_user SET is_superuser = true, is_staff = true WHERE username = $1', world.user)
  }
  await button.waitFor()
  const left = await sql('SELECT 1 FROM devices_app_device WHERE device = $1 AND revoked_at IS NOT NULL', traveller)
  expect(left).toEqual([])
})

/** The devices of the app that PostgreSQL finds, the last registered first. */
async function devices(condition: string, ...values: unknown[]): Promise<string[]> {
  const rows = await sql<{ device: string }>(
    `SELECT d.device FROM devices_app_device d JOIN devices_app_app a ON a.id = d.app_id
     WHERE a.slug = '${world.app}' AND ${condition} ORDER BY d.id DESC`,
    ...values,
  )
  return rows.map(({ device }) => device)
}

/** Rows, in their order, and their number. */
async function expectToBe(page: Page, expected: string[]): Promise<void> {
  expect(expected.length).toBeGreaterThan(0)
  await page.locator(`[data-count="${expected.length}"]`).waitFor()
  const grid = page.getByRole('grid', { name: 'Devices' })
  await until('as many rows', async () => (await grid.getAttribute('aria-rowcount')) === String(expected.length + 1))
  const shown = await texts(grid.locator('[data-index] a'))
  // Of long lists only the beginning is in the document.
  expect(shown).toEqual(expected.slice(0, shown.length))
  expect(shown.length).toBeGreaterThan(Math.min(expected.length, 15) - 1)
}

/** Its suggestions have the same label. */
function field(page: Page, label: string | RegExp): Locator {
  return page.locator('input').and(page.getByLabel(label, { exact: true }))
}

/** By their indexes: rows that come into the document later stand later in it. */
async function texts(cells: Locator): Promise<string[]> {
  const found = await cells.evaluateAll((all) =>
    all.map((each) => ({
      index: Number(each.closest('[data-index]')?.getAttribute('data-index')),
      text: each.textContent,
    })),
  )
  return found.sort((a, b) => a.index - b.index).map(({ text }) => text)
}

type Part = { task: string; release: number; decides: boolean; reason: string }

async function explanations(device: string): Promise<Part[]> {
  type Answer = { results: { task: string; considered: Omit<Part, 'task'>[] }[] }
  const { results } = await api<Answer>('GET', `devices/${world.app}/${device}/explain`)
  return results.flatMap(({ task, considered }) =>
    considered.map((each) => ({ task, release: each.release, decides: each.decides, reason: each.reason })),
  )
}

async function explained(page: Page): Promise<Part[]> {
  return page.locator('tr[data-release]').evaluateAll((rows) =>
    rows.map((row) => {
      const cells = [...row.querySelectorAll('td')].map((cell) => cell.textContent)
      return {
        task: row.closest('section[aria-label]')?.getAttribute('aria-label') ?? '',
        release: Number(row.dataset.release),
        decides: cells[1] === 'Decides',
        reason: cells[2] ?? '',
      }
    }),
  )
}

/** A device that the release drew for this arm, after it was offered if it was to be. */
async function drawn(arm: 'treatment' | 'control'): Promise<string> {
  return until(`a device of ${arm}`, async () => {
    const [row] = await sql<{ device: string }>(
      `SELECT device FROM releases_app_exposure WHERE release = $1 AND arm = $2
       AND (arm = 'control' OR offered_at IS NOT NULL) ORDER BY id LIMIT 1`,
      release,
      arm,
    )
    return row?.device
  })
}
