import { expect, test } from 'vitest'
import { account, visitorAs } from '../support/people'
import { until, world } from '../support/world'

/** What the API answers to somebody with this token. */
async function statusFor(secret: string): Promise<number> {
  return (await fetch(`${world.url}/api/v1/me`, { headers: { Authorization: `Bearer ${secret}` } })).status
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
