import { readdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { visitor } from '../support/browser'
import { account, PASSWORD, visitorAs } from '../support/people'
import { sql, until, world } from '../support/world'

/** What the API answers to somebody with this token. */
async function statusFor(secret: string): Promise<number> {
  return (await fetch(`${world.url}/api/v1/me`, { headers: { Authorization: `Bearer ${secret}` } })).status
}

/** All messages so far, which are written into files here. */
async function messages(): Promise<string> {
  const folder = join(dirname(world.held), 'mail')
  const names = await readdir(folder).catch(() => [])
  return (await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')))).join('\n')
}

test('somebody without any role makes a token, sees that it was used, and revokes it', async () => {
  await account('tobi')
  const tobi = await visitorAs('tobi')
  const { page } = tobi
  await page.goto('/')
  await page.getByText('You have no role in any scenario or app').waitFor()
  await page.getByRole('button', { name: /account and appearance/ }).click()
  await page.getByRole('menuitem', { name: 'Account' }).click()
  await page.getByText('You have no valid token').waitFor()

  await page.getByRole('button', { name: 'Create token' }).click()
  await page.getByLabel('Purpose').fill('nightly build')
  await page.getByRole('combobox', { name: 'For what' }).click()
  await page.getByRole('option', { name: 'push' }).click()
  await page.keyboard.press('Escape')
  const dialog = page.getByRole('dialog', { name: 'Create token' })
  await dialog.getByRole('button', { name: 'Create token' }).click()
  const secret = (await dialog.getByText(/^wl_/).textContent()) ?? ''
  expect(await tobi.accessibilityFaults()).toEqual([])
  await dialog.getByRole('button', { name: 'Done' }).click()
  await dialog.waitFor({ state: 'detached' })
  expect(await page.content()).not.toContain(secret)

  const row = page.getByRole('row', { name: /nightly build/ })
  await row.getByText('push everywhere').waitFor()
  await row.getByText('never').waitFor()
  expect(await statusFor(secret)).toBe(200)
  await page.reload()
  await row.waitFor()
  expect(await row.getByText('never').count()).toBe(0)

  await row.getByRole('button', { name: 'Revoke nightly build' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke', exact: true }).click()
  await row.waitFor({ state: 'detached' })
  await until('the refusal of the token', async () => (await statusFor(secret)) === 401)
  await page.getByRole('switch', { name: 'Show revoked and expired' }).click()
  await row.getByText('revoked').waitFor()
  expect(await tobi.accessibilityFaults()).toEqual([])
})

test('staff make a scenario, whose only owner stays until another one is there', async () => {
  await account('mina')
  const staff = await visitor()
  const { page } = staff
  await page.goto('/scenarios')
  await page.getByRole('link', { name: 'camera' }).waitFor()
  await page.getByRole('button', { name: 'New scenario' }).click()
  const dialog = page.getByRole('dialog', { name: 'New scenario' })
  const name = dialog.getByRole('textbox', { name: 'Name' })
  staff.expectsComplaint(/40[09].*\/scenarios/)
  await name.fill('Not A Name')
  await page.keyboard.press('Enter')
  await dialog.getByText(/Expected a lowercase letter/).waitFor()
  await name.fill('camera')
  await page.keyboard.press('Enter')
  await dialog.getByText('there is already a scenario camera').waitFor()
  const slug = `voice-${String(Date.now())}`
  await name.fill(slug)
  await page.keyboard.press('Enter')
  await page.waitForURL(`**/scenarios/${slug}`)
  await page.getByRole('heading', { name: 'Next: push a first task' }).waitFor()
  await page.getByText(`/git/${slug}.git`).first().waitFor()

  const members = page.getByRole('group', { name: 'Members' })
  const owner = members.getByRole('row', { name: new RegExp(`^${world.user}`) })
  await owner.getByText('the only one').waitFor()
  const remove = owner.getByRole('button', { name: `Remove ${world.user} as owner` })
  expect(await remove.getAttribute('aria-description')).toContain('Make somebody else an owner first')

  const adding = page.getByRole('form', { name: 'Add a member' })
  staff.expectsComplaint(/400.*\/members/)
  await adding.getByLabel('User name').fill('nobody-of-this-name')
  await adding.getByRole('button', { name: 'Add member' }).click()
  await adding.getByText(/Expected the name of an active user/).waitFor()
  await adding.getByLabel('User name').fill('mina')
  await adding.getByRole('button', { name: 'Add member' }).click()
  const role = members.getByRole('combobox', { name: 'Role of mina' })
  await role.selectOption('owner')
  await page.getByText('mina is now owner').waitFor()
  expect(await staff.accessibilityFaults()).toEqual([])
  await staff.picture('scenario-new-light-1280')

  await remove.and(page.locator(':not([aria-disabled])')).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Give it up' }).click()
  await owner.waitFor({ state: 'detached' })
  const left = await sql<{ holds: string }>(
    `SELECT u.username || ' ' || m.role AS holds FROM accounts_app_member m JOIN auth_user u ON u.id = m.user_id
     WHERE m.scope = $1`,
    `scenario:${slug}`,
  )
  expect(left.map(({ holds }) => holds)).toEqual(['mina owner'])
})

test('staff make an app with a key, which is shown once', async () => {
  const staff = await visitor({ theme: 'dark' })
  const { page } = staff
  const slug = `radio-${String(Date.now())}`
  await page.goto('/apps')
  await page.getByRole('button', { name: 'New app' }).click()
  const dialog = page.getByRole('dialog', { name: 'New app' })
  await dialog.getByLabel('Name in addresses and commands').fill(slug)
  await dialog.getByLabel('Name for people').fill('Radio')
  await page.keyboard.press('Enter')
  await page.waitForURL(`**/apps/${slug}`)
  await page.getByRole('heading', { name: 'Next: let devices come' }).waitFor()

  await page.getByRole('button', { name: 'New key' }).click()
  const making = page.getByRole('dialog', { name: 'New key' })
  await making.getByLabel('Purpose').fill('release build')
  await page.keyboard.press('Enter')
  const text = (await making.getByText(/^wa_/).textContent()) ?? ''
  expect(text.length).toBeGreaterThan(20)
  await making.getByRole('button', { name: 'Done' }).click()
  await making.waitFor({ state: 'detached' })
  expect(await page.content()).not.toContain(text)
  const key = page.getByRole('row', { name: /release build/ })
  await key.getByText('valid').waitFor()
  expect(await staff.accessibilityFaults()).toEqual([])
  await staff.picture('app-new-dark-1280')

  await key.getByRole('button', { name: 'Revoke release build' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke', exact: true }).click()
  await key.getByText(/revoked/).waitFor()
  const [stored] = await sql<{ revoked: boolean }>(
    `SELECT k.revoked_at IS NOT NULL AS revoked FROM devices_app_appkey k JOIN devices_app_app a ON a.id = k.app_id
     WHERE a.slug = $1`,
    slug,
  )
  expect(stored?.revoked).toBe(true)
})

test('whoever may not make scenarios is told who may', async () => {
  await account('vito', { 'scenario:camera': 'viewer' })
  const { page } = await visitorAs('vito')
  await page.goto('/scenarios')
  await page.getByRole('link', { name: 'camera' }).click()
  await page.getByRole('group', { name: 'Members' }).getByText('vito').waitFor()
  expect(await page.getByRole('form', { name: 'Add a member' }).count()).toBe(0)
  await page.goto('/scenarios')
  const button = page.getByRole('button', { name: 'New scenario' }).and(page.locator('[aria-disabled="true"]'))
  expect(await button.getAttribute('aria-description')).toContain('Only site staff')
})

test('a time zone is kept with the account, and another session is ended', async () => {
  await account('zoe', { 'scenario:camera': 'viewer' })
  const first = await visitorAs('zoe')
  await first.page.goto('/account')
  await first.page.getByRole('combobox', { name: 'Time zone' }).click()
  await first.page.keyboard.type('Tokyo')
  await first.page.getByRole('option', { name: 'Asia/Tokyo' }).click()
  await until('the choice in the database', async () => {
    const [kept] = await sql<{ zone: string }>(
      `SELECT p.time_zone AS zone FROM accounts_app_preferences p JOIN auth_user u ON u.id = p.user_id
       WHERE u.username = 'zoe'`,
    )
    return kept?.zone === 'Asia/Tokyo'
  })
  await first.page.goto('/scenarios/camera')
  await first.page.locator('time[title$="GMT+9"]').first().waitFor()

  const second = await visitor({ loggedIn: false })
  await second.logIn('zoe', PASSWORD)
  await second.page.goto('/account')
  const sessions = second.page.getByRole('group', { name: 'Your sessions' })
  await sessions.getByText('this session').waitFor()
  expect(await second.accessibilityFaults()).toEqual([])
  first.expectsComplaint(/401/)
  await sessions.getByRole('button', { name: /^End the session of/ }).click()
  await second.page.getByText('Ended the session').waitFor()
  await first.page.getByText('Your session has ended').waitFor()
  await second.picture('account-sessions-light-1280')
})

test('somebody confirms an address, and has by e-mail the events that they chose', async () => {
  await account('emil', { 'scenario:camera': 'viewer' })
  const emil = await visitorAs('emil')
  const { page } = emil
  await page.goto('/account')
  const address = page.getByLabel('Your address')
  await address.fill('emil@example')
  await page.getByRole('button', { name: 'Send a link' }).click()
  await page.getByText('waits until you follow the link that was sent to emil@example').waitFor()
  const link = /\/account\?confirm=\S+/
  await until('the message with the link', async () => link.test(await messages()))
  expect(await messages()).toContain('To: emil@example')
  await page.goto(link.exec(await messages())?.[0] ?? '')
  await page.getByText('Events reach you at emil@example').waitFor()
  await page.waitForURL((url) => !url.search.includes('confirm'))

  await page.getByRole('checkbox', { name: /^Somebody gets, exchanges or loses a role/ }).check()
  await until('the choice in the database', async () => {
    const [kept] = await sql<{ kinds: string[] }>(
      `SELECT m.kinds FROM webhooks_app_mailsettings m JOIN auth_user u ON u.id = m.user_id WHERE u.username = 'emil'`,
    )
    return kept?.kinds.includes('members') ?? false
  })
  await account('nele', { 'scenario:camera': 'viewer' })
  // The five minutes for which events are gathered are over.
  await sql(`UPDATE webhooks_app_mailedentry SET created_at = created_at - interval '6 minutes'`)
  await page.getByRole('button', { name: 'Send me a test message' }).click()
  await until('both messages', async () => (await messages()).includes('nele is viewer of scenario:camera from now on'))
  await page.getByText(/^Last message/).waitFor()
  await page.getByText('sent', { exact: true }).waitFor()
  expect(await emil.accessibilityFaults()).toEqual([])
  await emil.picture('account-mail-light-1280')
})
