import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { visitor } from '../support/browser'
import * as releases from '../support/releases'
import { api, sql, until, world } from '../support/world'

type Kept = {
  state: string
  rule: unknown
  strategy: { limits: Record<string, number>; stages: { percent?: number }[] }
}
type Counted = { count: number }
type Compared = { commits: { subject: string }[]; files: { path: string; change: string }[] }

const RULE = {
  all: [{ fact: 'app_version', in: ['2.0.0', '1.1.0'] }, { not: { fact: 'os', in: ['ios'] } }],
}

test('the count follows the rule, a bad threshold is blocked, and the release is what was said', async () => {
  const someone = await visitor()
  const { page } = someone
  // What is wrong with a draft the server says by refusing to count it, and to plan it.
  someone.expectsComplaint(/400.*\/(targeting\/preview|releases\/plan)/)
  await page.goto('/releases/new')
  await choose(page, 'App', world.app)
  await choose(page, 'Task', 'camera/digits')
  await choose(page, 'Version', world.better)
  await page.getByText('May be released').waitFor()

  // What the devices of the app would get, beside what most of them have.
  const changes = page.locator('section').filter({ has: page.getByRole('heading', { name: /^What changes from/ }) })
  await changes.getByText(`what most devices of ${world.app} have`).waitFor()
  const most = (await changes.getByRole('heading', { level: 3 }).textContent())?.replace('What changes from ', '') ?? ''
  const compared = await api<Compared>('GET', `tasks/camera/digits/versions/${world.better}/diff?base=${most}`)
  expect(compared.commits.length).toBeGreaterThan(0)
  await changes
    .getByRole('listitem')
    .filter({ hasText: compared.commits[0]?.subject ?? '' })
    .first()
    .waitFor()
  for (const { path, change } of compared.files.slice(0, 8)) {
    await changes.getByRole('listitem').filter({ hasText: path }).getByText(change, { exact: true }).first().waitFor()
  }
  expect(await someone.accessibilityFaults()).toEqual([])
  await someone.picture('2-wizard-version-light')
  await page.getByRole('button', { name: 'Continue to devices' }).click()

  // Nothing can be counted before the rule is whole; then each change of it is.
  await page.getByRole('heading', { name: 'Devices', exact: true }).waitFor()
  await page.getByText('Choose at least one value.').waitFor()
  expect(await page.getByRole('button', { name: 'Continue to stages and limits' }).isDisabled()).toBe(true)
  await pick(page, 0, '2.0.0')
  await countIs(page, { all: [{ fact: 'app_version', in: ['2.0.0'] }] })
  await pick(page, 0, '1.1.0')
  const both = { all: [{ fact: 'app_version', in: ['2.0.0', '1.1.0'] }] }
  await countIs(page, both)

  // By the keyboard alone: a condition more, negated.
  await page.getByRole('button', { name: 'Add', exact: true }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('menuitem', { name: 'Condition on an attribute' }).focus()
  await page.keyboard.press('Enter')
  await page.getByLabel('Attribute').nth(1).and(page.locator(':focus')).waitFor()
  await page.keyboard.press('Control+a')
  await page.keyboard.type('os')
  await page.getByRole('option', { name: 'os', exact: true }).waitFor()
  await page.keyboard.press('Home')
  await page.getByRole('option', { name: 'os', exact: true }).click()
  await page.getByLabel('Values').nth(1).fill('ios')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Negate the condition' }).nth(1).click()
  await countIs(page, RULE)
  const [true_] = await sql<{ count: number }>(
    `SELECT count(*)::int FROM devices_app_device d JOIN devices_app_app a ON a.id = d.app_id
     WHERE a.slug = $1 AND d.revoked_at IS NULL AND d.facts->>'app_version' IN ('2.0.0', '1.1.0')
     AND d.facts->>'os' IS DISTINCT FROM 'ios'`,
    world.app,
  )
  expect(await shownCount(page)).toBe(true_?.count)
  const said = page.getByText('Devices whose app version is 2.0.0 or 1.1.0 and whose system is not ios.')
  await said.waitFor()
  await page.getByText(`None of them has ${world.better} yet.`).waitFor()
  expect(await someone.accessibilityFaults()).toEqual([])
  await someone.picture('2-wizard-devices-light')

  // The same as JSON; what is wrong there is said with its place.
  await page.getByText('JSON', { exact: true }).click()
  const json = page.getByLabel('Rule as JSON', { exact: true })
  expect(JSON.parse(await json.inputValue())).toEqual(RULE)
  await said.waitFor()
  await json.fill(JSON.stringify({ all: [{ fact: 'colour', equals: 'red' }] }))
  await page.getByText('rule.all[0].fact').waitFor()
  await page.getByText('Expected a declared fact').first().waitFor()
  await page.getByText('Tree', { exact: true }).click()
  await page.getByText('Expected a declared fact').first().waitFor()
  await page.getByText('JSON', { exact: true }).click()
  await json.fill(JSON.stringify(RULE))
  await page.getByText('Tree', { exact: true }).click()
  await countIs(page, RULE)

  // A limit that means nothing, and a share that does not grow, are explained where they stand.
  await page.getByRole('button', { name: 'Continue to stages and limits' }).click()
  const onward = page.getByRole('button', { name: 'Continue to review' })
  const limit = page.getByLabel('Failure rate')
  await limit.fill('1.5')
  await page.getByText('Expected a number from 0.000001 to 0.999999, found 1.5.').first().waitFor()
  expect(await limit.getAttribute('aria-invalid')).toBe('true')
  expect(await onward.isDisabled()).toBe(true)
  await someone.picture('2-wizard-fault-light')
  await limit.fill('0.02')
  await page.getByText('found 1.5').first().waitFor({ state: 'detached' })
  // The stages fit a small fleet: half of it, then all. The warning stands where it is caused.
  await page.getByLabel('Stage 1: minimum samples').fill('500')
  const waiting = page.locator('[data-warning="strategy.stages[0].evidence"]').getByText('Stage 1: it waits for 500')
  await waiting.waitFor()
  const steps = page.getByRole('navigation', { name: 'Steps' })
  await steps.getByRole('button', { name: /^3 Stages and limits.*[12] warnings?$/ }).waitFor()
  await someone.picture('2-wizard-warning-light')
  await page.getByLabel('Stage 1: minimum samples').fill('1')
  // What stands below it moves up when the warning goes: a click then would be beside the button.
  await waiting.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Add a stage' }).click()
  await page.getByLabel('Stage 3: share in percent').waitFor()
  await page.getByLabel('Stage 2: share in percent').fill('0.05')
  await page.getByText('Stage 2: Expected more than the 50.0 before, found 0.05.').waitFor()
  await page.getByRole('button', { name: /4 Review/ }).click()
  await page.getByText('Expected more than the 50.0 before, found 0.05.').waitFor()
  expect(await page.getByRole('button', { name: 'Create draft' }).isDisabled()).toBe(true)
  await page.getByRole('button', { name: 'Fix it in stages and limits' }).click()
  await page.getByLabel('Stage 2: share in percent').fill('60')
  await page.getByText('Stage 2: Expected').waitFor({ state: 'detached' })
  expect(await someone.accessibilityFaults()).toEqual([])
  await someone.picture('2-wizard-stages-light')

  // Back and forth, and away and back: nothing is lost.
  await page.goBack()
  await page.goForward()
  await page.reload()
  expect(await page.getByLabel('Failure rate').inputValue()).toBe('0.02')

  await onward.click()
  await page.getByRole('heading', { name: 'What will happen' }).waitFor()
  await said.waitFor()
  expect(await someone.accessibilityFaults()).toEqual([])
  await someone.picture('2-wizard-review-light')
  await page.getByRole('button', { name: 'Create draft' }).click()
  const id = await releases.shownRelease(page)
  const kept = await release(id)
  expect(kept.state).toBe('draft')
  expect(kept.rule).toEqual(RULE)
  expect(kept.strategy.limits.failure_rate).toBe(0.02)
  expect(kept.strategy.stages.map(({ percent }) => percent)).toEqual([50, 60, 100])
})

test('a release is cloned, and started once the number of devices is typed', async () => {
  const someone = await visitor({ theme: 'dark' })
  const { page } = someone
  const [first] = await sql<{ id: number; rule: unknown }>(
    `SELECT r.id::int, r.rule FROM releases_app_release r JOIN tasks_app_taskversion v ON v.id = r.version_id
     JOIN tasks_app_task t ON t.id = v.task_id WHERE t.slug = 'recommend' ORDER BY r.id LIMIT 1`,
  )
  await page.goto(`/releases/new?clone=${first?.id ?? 0}&step=devices`)
  await countIs(page, first?.rule)
  await someone.picture('2-wizard-devices-dark')

  // To nobody, and only with an approval: this release is not to meet the other journeys' devices.
  const nobody = { devices: ['nobody'] }
  await page.getByText('JSON', { exact: true }).click()
  await page.getByLabel('Rule as JSON', { exact: true }).fill(JSON.stringify(nobody))
  await countIs(page, nobody)
  await page.getByRole('button', { name: 'Continue to stages and limits' }).click()
  await page.getByRole('button', { name: 'All at once' }).click()
  await page.getByLabel('Require approval').check()
  expect(await someone.accessibilityFaults()).toEqual([])
  await someone.picture('2-wizard-stages-dark')
  await page.getByRole('button', { name: 'Continue to review' }).click()
  await page.getByText('the rule matches no known device').waitFor()
  await page.getByText('The release waits until somebody other than you approves it.').waitFor()
  await someone.picture('2-wizard-review-dark')
  await page.getByRole('button', { name: 'Create and start' }).click()
  const dialog = page.getByRole('dialog')
  expect(await dialog.getByRole('button', { name: 'Create and start' }).isDisabled()).toBe(true)
  await dialog.getByRole('textbox').fill('0')
  await page.keyboard.press('Enter')

  const id = await releases.shownRelease(page)
  const kept = await release(id)
  expect(kept).toMatchObject({ state: 'awaiting-approval', rule: nobody })
  expect(kept.strategy.stages).toHaveLength(1)
  await releases.move(id, 'reject', 'it was for the journey')
})

/** Chooses in a list of suggestions. */
async function choose(page: Page, label: string, name: string): Promise<void> {
  await page.getByRole('combobox', { name: label }).click()
  await page.getByRole('option', { name, exact: true }).click()
}

/** One more of the values of a condition. */
async function pick(page: Page, at: number, value: string): Promise<void> {
  await page.getByLabel('Values').nth(at).click()
  await page.getByRole('option', { name: value, exact: true }).click()
  await page.keyboard.press('Escape')
}

/** Waits until the page shows for how many devices the API says that the rule is. */
async function countIs(page: Page, rule: unknown): Promise<void> {
  const { count } = await api<Counted>('POST', `apps/${world.app}/targeting/preview`, { rule })
  await until(`a count of ${count}`, async () => (await shownCount(page)) === count)
}

async function shownCount(page: Page): Promise<number | null> {
  const number = page.getByRole('complementary', { name: 'Devices that match' }).locator('[aria-busy="false"]')
  const text = await number.textContent()
  return text && /^[\d,]+$/.test(text) ? Number(text.replaceAll(',', '')) : null
}

async function release(id: number): Promise<Kept> {
  const [found] = await sql<Kept>('SELECT state, rule, strategy FROM releases_app_release WHERE id = $1', id)
  if (!found) throw new Error(`There is no release ${id}`)
  return found
}
