/** Accounts and roles: who the journeys' people are, and what they may do. */
import { pbkdf2Sync, randomBytes } from 'node:crypto'
import type { Cookie } from 'playwright-core'
import { visitor, type Visitor } from './browser'
import { api, sql } from './world'

/** Few, because it is the server that has to be slow, not the tests; it hashes anew at the first login. */
const ITERATIONS = 1000
export const PASSWORD = 'correct horse battery staple'

/** Of those who have logged in in this file. */
const sessions = new Map<string, Cookie[]>()

/** `scope: role`, such as `'scenario:camera': 'viewer'`. */
type Roles = Record<string, string>

/** An account that is no staff, with these roles and no others, also where an earlier attempt has left it. */
export async function account(username: string, roles: Roles = {}): Promise<string> {
  const salt = randomBytes(12).toString('hex')
  const hash = pbkdf2Sync(PASSWORD, salt, ITERATIONS, 32, 'sha256').toString('base64')
  await sql(
    `INSERT INTO auth_user
       (username, password, is_staff, is_active, is_superuser, first_name, last_name, email, date_joined)
     VALUES ($1, $2, false, true, false, '', '', '', now())
     ON CONFLICT (username) DO UPDATE SET password = excluded.password`,
    username,
    `pbkdf2_sha256$${ITERATIONS}$${salt}$${hash}`,
  )
  await sql('DELETE FROM accounts_app_member m USING auth_user u WHERE m.user_id = u.id AND u.username = $1', username)
  for (const [scope, role] of Object.entries(roles)) await grant(username, scope, role)
  return username
}

export async function grant(user: string, scope: string, role: string): Promise<void> {
  await api('POST', members(scope), { user, role })
}

export async function revoke(user: string, scope: string, role: string): Promise<void> {
  await api('DELETE', `${members(scope)}/${user}/${role}`)
}

function members(scope: string): string {
  const [kind = '', slug = ''] = scope.split(':')
  return `${kind}s/${slug}/members`
}

/** Somebody in a browser of their own, logged in as one of the accounts; again in the same session. */
export async function visitorAs(username: string): Promise<Visitor> {
  const someone = await visitor({ loggedIn: false })
  const context = someone.page.context()
  const kept = sessions.get(username)
  if (kept) {
    await context.addCookies(kept)
  } else {
    await someone.logIn(username, PASSWORD)
    sessions.set(username, await context.cookies())
  }
  return someone
}

/** Fills in the login that is shown. */
export async function logInOn({ page }: Visitor, username: string, password = PASSWORD): Promise<void> {
  await page.getByLabel('User name').fill(username)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.keyboard.press('Enter')
}
