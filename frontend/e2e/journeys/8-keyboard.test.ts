import { expect, test } from 'vitest'
import { visitor } from '../support/browser'
import { account, visitorAs } from '../support/people'
import { sql, world } from '../support/world'

test('the palette leads to a page, a task, a release and a device without a mouse', async () => {
  const { page } = await visitor()
  await page.goto('/')
  await page.getByRole('heading', { name: 'Fleet' }).waitFor()
  const finder = page.getByRole('combobox', { name: /Go to/ })
  const go = async (typed: string) => {
    await page.keyboard.press('Control+k')
    await finder.and(page.locator(':focus')).waitFor()
    await page.keyboard.type(typed)
    await page
      .getByRole('option', { selected: true })
      .filter({ hasText: typed.split(' ')[0] ?? '' })
      .waitFor()
    await page.keyboard.press('Enter')
    await finder.waitFor({ state: 'detached' })
  }

  await go('Devices')
  await page.waitForURL('**/devices')
  await go('digits')
  await page.waitForURL('**/tasks/camera/digits')

  const [release] = await sql<{ id: number }>(
    `SELECT r.id::int FROM releases_app_release r JOIN tasks_app_taskversion v ON v.id = r.version_id
     JOIN tasks_app_task t ON t.id = v.task_id WHERE t.slug = 'sentiment' ORDER BY r.id DESC LIMIT 1`,
  )
  await go('sentiment Release')
  await page.waitForURL(`**/releases/${release?.id ?? 0}`)

  const [device] = await sql<{ device: string }>('SELECT device FROM devices_app_device ORDER BY device LIMIT 1')
  await go(device?.device ?? '')
  await page.waitForURL(`**/devices/${world.app}/${device?.device ?? ''}`)
})

test('the palette has no accessibility faults, remembers, and closes by Escape', async () => {
  const someone = await visitor({ theme: 'dark' })
  const { page } = someone
  await page.goto('/tasks/camera/digits')
  await page.getByRole('heading', { name: 'camera/digits' }).waitFor()
  await page.getByText(/^in use$/i).waitFor()
  await page.goto('/')
  await page.getByRole('heading', { name: 'Fleet' }).waitFor()
  await page.keyboard.press('Control+k')
  await page.getByRole('option', { name: 'camera/digits Recent' }).waitFor()
  expect(await someone.accessibilityFaults()).toEqual([])
  await someone.picture('palette-dark-1280')
  await page.keyboard.press('Escape')
  await page.getByRole('combobox', { name: /Go to/ }).waitFor({ state: 'detached' })
})

test('single keys lead to pages, through a list and to help, and letters that are typed do not', async () => {
  const someone = await visitor()
  const { page } = someone
  await page.goto('/')
  await page.getByRole('heading', { name: 'Fleet' }).waitFor()
  await page.keyboard.press('g')
  await page.keyboard.press('r')
  await page.getByRole('grid', { name: 'Releases' }).getByRole('link').first().waitFor()

  const row = () => page.evaluate(() => document.activeElement?.getAttribute('data-index'))
  await page.keyboard.press('j')
  expect(await row()).toBe('0')
  await page.keyboard.press('j')
  await expect.poll(row).toBe('1')
  await page.keyboard.press('k')
  await expect.poll(row).toBe('0')

  await page.keyboard.press('g')
  await page.keyboard.press('t')
  const search = page.getByLabel('Search scenarios and tasks')
  await search.waitFor()
  await page.keyboard.press('/')
  await page.keyboard.type('gd?')
  expect(await search.inputValue()).toBe('gd?')

  await search.evaluate((field) => (field as HTMLInputElement).blur())
  await page.keyboard.press('?')
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
  expect(await someone.accessibilityFaults()).toEqual([])
  await someone.picture('shortcuts-light-1280')
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
})

test('the keyboard reaches content, navigation and appearance, and the choice is kept', async () => {
  // It is kept with the account: others shall not see it.
  await account('kim', { 'scenario:camera': 'viewer' })
  const { page } = await visitorAs('kim')
  await page.goto('/')
  await page.getByRole('heading', { name: 'Fleet' }).waitFor()
  await page.keyboard.press('Tab')
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Skip to content')
  await page.keyboard.press('Enter')
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('main')

  await page.getByRole('button', { name: /account and appearance/ }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('menuitemradio', { name: 'Dark' }).focus()
  await page.keyboard.press('Enter')
  const scheme = () => page.evaluate(() => document.documentElement.dataset.mantineColorScheme)
  expect(await scheme()).toBe('dark')
  await page.reload()
  expect(await scheme()).toBe('dark')

  const elsewhere = await visitorAs('kim')
  await elsewhere.page.goto('/')
  await expect
    .poll(() => elsewhere.page.evaluate(() => document.documentElement.dataset.mantineColorScheme))
    .toBe('dark')
})
