import { expect, test } from 'vitest'
import { visitor, type Visitor } from '../support/browser'
import { account, logInOn, visitorAs } from '../support/people'
import { eventsIn, heardSince } from '../support/live'
import * as releases from '../support/releases'
import { sql, until, world } from '../support/world'

const DEEP = '/releases/new?scenario=camera&task=digits'

test('a login keeps the deep link', async () => {
  const someone = await visitor({ loggedIn: false })
  const { page } = someone
  someone.expectsComplaint(/401.*\/api\/v1\/session/)
  await page.goto(DEEP)
  await page.getByLabel('User name').fill(world.user)
  await page.getByLabel('Password', { exact: true }).fill('wrong')
  await page.getByRole('button', { name: 'Log in' }).click()
  await page.getByRole('alert').getByText('No active account has this user name and password.').waitFor()
  expect(await someone.accessibilityFaults()).toEqual([])

  await page.getByLabel('Password', { exact: true }).fill(world.password)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'New release' }).waitFor()
  expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe(DEEP)

  const session = await someone.cookie('sessionid')
  const kept = await sql<{ user: string }>(
    `SELECT u.username AS user FROM django_session s, auth_user u
     WHERE s.session_key = $1 AND u.username = $2 AND u.last_login > now() - interval '1 minute'`,
    session,
    world.user,
  )
  expect(kept).toEqual([{ user: world.user }])
})

test('a mistyped address says so, and leads home', async () => {
  const someone = await visitor({ loggedIn: false })
  const { page } = someone
  someone.expectsComplaint(/404.*\/nonsense/)
  await page.goto('/nonsense')
  await page.getByLabel('User name').waitFor()
  expect(await page.getByText('There is no such page').count()).toBe(0)
  await logInOn(someone, world.user, world.password)
  await page.getByText('There is no such page').waitFor()
  expect(await someone.accessibilityFaults()).toEqual([])
  await page.getByRole('link', { name: 'To the fleet', exact: true }).click()
  await page.getByRole('heading', { name: 'Fleet', level: 1 }).waitFor()
})

test('a session that ends while a page is open asks to log in, over the page and its address', async () => {
  const someone = await visitor({ loggedIn: 'anew' })
  const { page } = someone
  await page.goto(DEEP)
  await page.getByRole('heading', { name: 'New release' }).waitFor()
  await sql('DELETE FROM django_session WHERE session_key = $1', await someone.cookie('sessionid'))

  // What the page asks for meanwhile is refused; and whoever comes back to the window is asked for again.
  someone.expectsComplaint(/401/)
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange', { bubbles: true })))
  await page.getByRole('heading', { name: 'Your session has ended' }).waitFor()
  await page.getByLabel('User name').fill(world.user)
  await page.getByLabel('Password', { exact: true }).fill(world.password)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Your session has ended' }).waitFor({ state: 'detached' })
  expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe(DEEP)
  await page.getByRole('link', { name: 'Devices' }).click()
  await page.getByRole('heading', { name: 'Devices' }).waitFor()
  // The server looks each second whose sockets' sessions have ended: nobody is asked to log in twice.
  await page.waitForTimeout(3_000)
  await page.locator('[data-live="live"]').waitFor()
  expect(await page.getByRole('heading', { name: 'Your session has ended' }).count()).toBe(0)
})

/** How the page's sockets ended, and the events of a topic that came through them. */
async function tapped({ page }: Visitor, topic: string) {
  const seen = { codes: [] as (number | undefined)[], events: [] as string[] }
  await page.routeWebSocket('**/live', (client) => {
    const server = client.connectToServer()
    server.onMessage((frame) => {
      seen.events.push(...eventsIn(frame, topic))
      client.send(frame)
    })
    server.onClose((code, reason) => {
      seen.codes.push(code)
      void client.close({ code: code ?? 1011, reason: reason ?? '' })
    })
  })
  return seen
}

test('a session that ends closes the socket; logged in again, nothing was missed', async () => {
  await releases.registerAgain('shop/recommend', '1.0.0', '1.9.0')
  const release = await releases.draft('shop/recommend', '1.9.0', releases.HALF)
  const before = await releases.auditedEntries(release)
  const someone = await visitor({ loggedIn: 'anew' })
  const { page } = someone
  const seen = await tapped(someone, `release/${release}`)
  await page.goto(`/releases/${release}`)
  await releases.shows(page, 'draft')
  await page.locator('[data-live="live"]').waitFor()
  await releases.move(release, 'start', 'seen at once')
  await page.getByRole('cell', { name: 'seen at once' }).waitFor()

  someone.expectsComplaint(/401/)
  await sql('DELETE FROM django_session WHERE session_key = $1', await someone.cookie('sessionid'))
  await page.getByRole('heading', { name: 'Your session has ended' }).waitFor()
  await until('the close code', () => Promise.resolve(seen.codes.length > 0))
  expect(seen.codes).toEqual([4401])
  expect(await someone.accessibilityFaults()).toEqual([])
  await releases.move(release, 'pause', 'while nobody was logged in')
  expect(await page.getByRole('cell', { name: 'while nobody was logged in' }).count()).toBe(0)

  await logInOn(someone, world.user, world.password)
  await page.getByRole('heading', { name: 'Your session has ended' }).waitFor({ state: 'detached' })
  await page.locator('[data-live="live"]').waitFor()
  await page.getByRole('cell', { name: 'while nobody was logged in' }).waitFor()
  await releases.shows(page, 'paused')
  await releases.move(release, 'abort', 'after the login')
  await page.getByRole('cell', { name: 'after the login' }).waitFor()

  const entries = await releases.auditedEntries(release)
  await until('the trail as in PostgreSQL', async () => (await releases.shownEntries(page)).join() === entries.join())
  expect(await heardSince(before, release, seen.events)).toHaveLength(3)
  expect(seen.codes).toEqual([4401])
})

/** The close code of a socket that a page opens. */
async function closeCode({ page }: Visitor): Promise<number> {
  return page.evaluate(
    (address) =>
      new Promise<number>((resolve) => {
        const socket = new WebSocket(address)
        socket.onclose = ({ code }) => resolve(code)
      }),
    `${world.url.replace('http', 'ws')}/live`,
  )
}

test('sockets of nobody get 4401', async () => {
  const nobody = await visitor({ loggedIn: false })
  await nobody.page.goto('/')
  await nobody.page.getByRole('heading', { name: 'Log in' }).waitFor()
  expect(await closeCode(nobody)).toBe(4401)
})

test('a login in one tab is one in the other; of another person, it leaves nothing there', async () => {
  const ada = await account('ada', { 'scenario:camera': 'viewer' })
  const bob = await account('bob', { 'scenario:comments': 'viewer' })
  const someone = await visitorAs(ada)
  const { page } = someone
  const other = await page.context().newPage()
  for (const each of [page, other]) {
    await each.goto('/tasks/camera/digits')
    await each.getByRole('heading', { name: 'camera/digits' }).waitFor()
    await each.locator('[data-live="live"]').waitFor()
  }
  someone.expectsComplaint(/401/)
  await sql('DELETE FROM django_session WHERE session_key = $1', await someone.cookie('sessionid'))
  for (const each of [page, other]) await each.getByRole('heading', { name: 'Your session has ended' }).waitFor()
  await logInOn(someone, ada)
  await page.getByRole('heading', { name: 'Your session has ended' }).waitFor({ state: 'detached' })
  const comeBack = () => other.evaluate(() => document.dispatchEvent(new Event('visibilitychange', { bubbles: true })))
  await comeBack()
  for (const each of [page, other]) {
    await each.getByRole('heading', { name: 'Your session has ended' }).waitFor({ state: 'detached' })
    await each.locator('[data-live="live"]').waitFor()
  }

  someone.expectsComplaint(/404/)
  await sql('DELETE FROM django_session WHERE session_key = $1', await someone.cookie('sessionid'))
  await page.getByRole('heading', { name: 'Your session has ended' }).waitFor()
  await logInOn(someone, bob)
  await page.getByRole('button', { name: `${bob}: account and appearance` }).waitFor()
  await comeBack()
  for (const each of [page, other]) {
    // Each part of the page that was refused says so.
    await each.getByRole('alert').filter({ hasText: 'you may not have a role' }).first().waitFor()
    expect(await each.getByText('Version 1.').count()).toBe(0)
  }
  await page.goto('/tasks')
  await page.getByRole('heading', { name: 'Tasks' }).waitFor()
  await page.keyboard.press('Control+k')
  await page.getByRole('option', { name: 'Fleet' }).waitFor()
  expect(await page.getByRole('option', { name: /Recent/ }).count()).toBe(0)
})

test('whoever logs out is logged out, in the database too', async () => {
  const someone = await visitor({ loggedIn: 'anew' })
  const { page } = someone
  const session = await someone.cookie('sessionid')
  await page.goto('/')
  await page.getByRole('button', { name: `${world.user}: account and appearance` }).click()
  await page.getByRole('menuitem', { name: 'Log out' }).click()
  await page.getByRole('heading', { name: 'Log in' }).waitFor()
  await until('the session gone', async () => {
    const left = await sql('SELECT 1 FROM django_session WHERE session_key = $1', session)
    return left.length === 0
  })
})
