import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { account, grant, revoke, visitorAs } from '../support/people'
import { api, sql, until, world } from '../support/world'
import type { Visitor } from '../support/browser'

const CAMERA = 'scenario:camera'

beforeAll(async () => {
  // An app and a scenario that nobody here has a role in: no name of theirs may show up anywhere.
  if ((await sql(`SELECT 1 FROM devices_app_app WHERE slug = 'hiddenapp'`)).length > 0) return // begun anew
  await api('POST', 'apps', { slug: 'hiddenapp', name: 'Hidden app' })
  await api('POST', 'scenarios', { slug: 'hiddenscenario', description: 'of others' })
})

/** Releases of a scenario or an app, by PostgreSQL. */
async function releasesOf(scenario: string, app: string): Promise<string[]> {
  const rows = await sql<{ id: string }>(
    `SELECT r.id::text FROM releases_app_release r JOIN devices_app_app a ON a.id = r.app_id
     JOIN tasks_app_taskversion v ON v.id = r.version_id JOIN tasks_app_task t ON t.id = v.task_id
     JOIN tasks_app_scenario s ON s.id = t.scenario_id WHERE s.slug = $1 OR a.slug = $2 ORDER BY r.id DESC`,
    scenario,
    app,
  )
  return rows.map(({ id }) => id)
}

async function shownReleases(page: Page): Promise<string[]> {
  const links = page.locator('main [role="row"] a[href^="/releases/"]')
  return links.evaluateAll((all) => all.map((link) => link.getAttribute('href')?.split('/').at(-1) ?? ''))
}

/** What the palette offers for what is typed. */
async function offered(page: Page, typed: string): Promise<string[]> {
  await page.keyboard.press('Control+k')
  const finder = page.getByRole('combobox', { name: /Go to/ })
  await finder.fill(typed)
  await page.waitForLoadState('networkidle')
  const found = await page.getByRole('option').allTextContents()
  await page.keyboard.press('Escape')
  await finder.waitFor({ state: 'detached' })
  return found
}

/** Why a button cannot be used, as it says itself. */
async function refusal(page: Page, name: string): Promise<string | null> {
  const button = page.getByRole('button', { name, exact: true })
  await button.and(page.locator('[aria-disabled="true"]')).waitFor()
  return button.getAttribute('aria-description')
}

async function hintsNothing({ page }: Visitor): Promise<void> {
  const text = await page.locator('body').innerText()
  expect(text).not.toMatch(/hidden/i)
  expect(await page.getByRole('link', { name: 'Admin' }).count()).toBe(0)
}

test('a viewer of one scenario sees it, and is told what is missing for more', async () => {
  await account('olaf', { [CAMERA]: 'owner' })
  await account('vera', { [CAMERA]: 'viewer' })
  const vera = await visitorAs('vera')
  const { page } = vera

  await page.goto('/')
  await page.getByText('You have no role in any app').waitFor()
  await page.locator('[data-live="live"]').waitFor()
  await hintsNothing(vera)
  expect(await vera.accessibilityFaults()).toEqual([])
  await vera.picture('fleet-no-app-light-1280')

  await page.goto('/devices')
  await page.getByText('You have no role in any app').waitFor()
  expect(await page.getByRole('search').count()).toBe(0)

  await page.goto('/releases')
  const expectedReleases = await releasesOf('camera', '')
  await until('the releases of the scenario', async () => {
    return (await shownReleases(page)).join() === expectedReleases.join()
  })
  expect(await refusal(page, 'New release')).toContain('releaser or owner in a scenario')
  await hintsNothing(vera)

  await page.goto('/releases/new')
  await page.getByText('You have no permission to release').waitFor()

  await page.goto(`/releases/${expectedReleases[0] ?? ''}`)
  await page.locator('[data-release-state]').waitFor()
  expect(await refusal(page, 'Clone')).toContain('releaser or owner in scenario camera. Ask olaf.')
  for (const button of await page.locator('main header button, main [class*="actions"] button').all()) {
    expect(await button.getAttribute('aria-disabled'), (await button.textContent()) ?? '').toBe('true')
  }
  expect(await page.getByLabel('Reason of the next move').count()).toBe(0)
  await hintsNothing(vera)

  await page.goto('/tasks')
  const tasks = await sql<{ name: string }>(
    `SELECT s.slug || '/' || t.slug AS name FROM tasks_app_task t JOIN tasks_app_scenario s ON s.id = t.scenario_id
     WHERE s.slug = 'camera' ORDER BY t.id DESC`,
  )
  const links = page.locator('main [role="row"] a[href^="/tasks/"]')
  await until('the tasks of the scenario', async () => {
    return (await links.allTextContents()).join() === tasks.map(({ name }) => name).join()
  })
  await hintsNothing(vera)

  await page.goto('/tasks/camera/digits?version=1.0.0')
  expect(await refusal(page, 'Release this version')).toContain('scenario camera')
  await page.getByText('This requires the role developer or owner in scenario camera.').waitFor()
  expect(await page.getByRole('button', { name: 'Create token' }).count()).toBe(0)
  expect(await vera.accessibilityFaults()).toEqual([])

  expect(await offered(page, 'sentiment')).toEqual([])
  expect(await offered(page, 'Admin')).toEqual([])
  expect((await offered(page, 'digits')).join()).toContain('camera/digits')
  expect((await offered(page, 'New')).join()).not.toContain('New release')
})

test('what is not theirs is not found, whichever way it is asked for', async () => {
  const vera = await visitorAs('vera')
  const { page } = vera
  const [theirs] = (await releasesOf('comments', '')).filter(Boolean)
  const [device] = await sql<{ device: string }>('SELECT device FROM devices_app_device LIMIT 1')
  vera.expectsComplaint(/40[04]/)
  for (const path of [
    `/releases/${theirs ?? ''}`,
    '/releases/999999999',
    '/tasks/comments/sentiment',
    '/tasks/hiddenscenario/x',
    '/tasks/comments/sentiment/diff',
    `/devices/${world.app}/${device?.device ?? ''}`,
    `/?app=${world.app}`,
    '/?app=hiddenapp',
  ]) {
    await page.goto(path)
    await page.getByRole('alert').first().waitFor()
    await page.locator('[data-live="live"]').waitFor()
    expect(await page.locator('main [class*="skeleton" i]').count(), path).toBe(0)
  }
})

test('a person without any role is welcomed, and sees what they are given as soon as they are', async () => {
  await account('newcomer')
  const someone = await visitorAs('newcomer')
  const { page } = someone
  // Pages begin to read while it is not known yet who looks at them.
  someone.expectsComplaint(/404.*camera\/digits/)
  for (const path of ['/', '/tasks', '/releases', '/devices', '/releases/new', '/tasks/camera/digits']) {
    await page.goto(path)
    await page.getByText('You have no role in any scenario or app').waitFor()
    await hintsNothing(someone)
  }
  expect(await someone.accessibilityFaults()).toEqual([])
  await someone.picture('no-role-light-1280')
  // The newest version is in quarantine, and offers no release.
  await page.goto('/tasks/camera/digits?version=1.0.0')
  await page.locator('[data-live="live"]').waitFor()

  await grant('newcomer', CAMERA, 'viewer')
  await page.getByRole('heading', { name: 'camera/digits' }).waitFor()
  expect(await refusal(page, 'Release this version')).toContain('releaser')
  await grant('newcomer', CAMERA, 'releaser')
  await page.getByRole('link', { name: 'Release this version' }).waitFor()
  await revoke('newcomer', CAMERA, 'releaser')
  await refusal(page, 'Release this version')
  // What the page is just reading then is not theirs any more.
  someone.expectsComplaint(/404.*\/releases\//)
  await revoke('newcomer', CAMERA, 'viewer')
  await page.getByText('You have no role in any scenario or app').waitFor()
  const left = await sql(
    `SELECT 1 FROM accounts_app_member m JOIN auth_user u ON u.id = m.user_id WHERE u.username = 'newcomer'`,
  )
  expect(left).toEqual([])
})

test('a release that is not theirs any more goes from the screen, and comes back with the role', async () => {
  await account('wanda', { [CAMERA]: 'viewer', 'scenario:shop': 'viewer' })
  const wanda = await visitorAs('wanda')
  const { page } = wanda
  const [release = ''] = await releasesOf('camera', '')
  await page.goto(`/releases/${release}`)
  await page.locator('[data-release-state]').waitFor()
  await page.locator('[data-live="live"]').waitFor()
  wanda.expectsComplaint(/404/)
  await revoke('wanda', CAMERA, 'viewer')
  await page
    .getByRole('alert')
    .filter({ hasText: /no such|not found|not have a role/i })
    .first() // its panels may be refused before it is
    .waitFor()
  await page.locator('[data-release-state]').waitFor({ state: 'detached' })
  expect(await page.getByText('camera/digits').count()).toBe(0)
  await grant('wanda', CAMERA, 'viewer')
  await page.locator('[data-release-state]').waitFor()
})

test('a release manager of one app sees its releases and devices, and halts, but does not release', async () => {
  await account('mara', { [`app:${world.app}`]: 'releaser' })
  const mara = await visitorAs('mara')
  const { page } = mara
  await page.goto('/')
  const [known] = await sql<{ count: string }>(
    `SELECT count(*)::text AS count FROM devices_app_device d JOIN devices_app_app a ON a.id = d.app_id
     WHERE a.slug = $1`,
    world.app,
  )
  await page
    .locator('[data-figure="known"]')
    .getByText(known?.count ?? '', { exact: true })
    .waitFor()
  await page
    .getByRole('textbox', { name: 'App' })
    .or(page.getByRole('combobox', { name: 'App' }))
    .first()
    .click()
  await page.getByRole('option', { name: world.app }).waitFor()
  await hintsNothing(mara)
  await page.keyboard.press('Escape')

  await page.goto('/tasks')
  await page.getByText('You have no role in any scenario').waitFor()
  await page.goto('/releases')
  const all = await releasesOf('', world.app)
  await until('the releases of the app', async () => {
    const shown = await shownReleases(page)
    return shown.length > 0 && all.join().startsWith(shown.join())
  })
  await page.goto(`/releases/${all.at(-1) ?? ''}`)
  await page.locator('[data-release-state]').waitFor()
  expect(await refusal(page, 'Clone')).toContain('releaser or owner in scenario')
  await page.goto(`/devices?app=${world.app}`)
  await page.getByRole('row').nth(1).waitFor()
  await page.locator('main [role="row"] a').first().click()
  expect(await refusal(page, 'Revoke')).toContain(`the role owner in app ${world.app}`)
  await mara.picture('device-releaser-light-1280')
})

test('whoever becomes staff gets to the admin pages, and whoever is none any more does not', async () => {
  await account('stefan', { [CAMERA]: 'viewer' })
  const { page } = await visitorAs('stefan')
  await page.goto('/tasks')
  await page.locator('[data-live="live"]').waitFor()
  const admin = page.getByRole('link', { name: 'Admin' })
  expect(await admin.count()).toBe(0)
  await sql("UPDATE auth_user SET is_staff = true WHERE username = 'stefan'")
  await admin.waitFor()
  await page.getByText('comments/sentiment').first().waitFor()
  await sql("UPDATE auth_user SET is_staff = false WHERE username = 'stefan'")
  await admin.waitFor({ state: 'detached' })
  await page.getByText('comments/sentiment').first().waitFor({ state: 'detached' })
})

test('a developer makes a token for themselves', async () => {
  await account('dora', { [CAMERA]: 'developer' })
  const { page } = await visitorAs('dora')
  await page.goto('/tasks/camera/digits')
  await page.getByRole('button', { name: 'Create token' }).click()
  await page.getByLabel('Purpose').fill('git here')
  await page.keyboard.press('Enter')
  const secret = await page.getByRole('dialog').getByText(/^wl_/).textContent()
  const answered = await fetch(`${world.url}/api/v1/me`, { headers: { Authorization: `Bearer ${secret ?? ''}` } })
  expect(((await answered.json()) as { username: string }).username).toBe('dora')
})
