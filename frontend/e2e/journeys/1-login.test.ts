import { expect, test } from 'vitest'
import { visitor } from '../support/browser'
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
