import { expect, test } from 'vitest'
import { visitor } from '../support/browser'
import * as releases from '../support/releases'
import { same, sql, until, world } from '../support/world'

test('a release moves through simulation, testers and gray by what devices report; the page follows', async () => {
  const release = await releases.draft('camera/digits', world.better, world.strategy)
  const someone = await visitor()
  const { page } = someone
  await page.goto(`/releases/${release}`)
  await page.getByRole('heading', { name: `camera/digits ${world.better}` }).waitFor()
  await releases.shows(page, 'draft')
  await page.evaluate(() => document.body.setAttribute('data-not-reloaded', ''))

  await page.getByRole('button', { name: 'Start', exact: true }).click()
  await releases.confirmNumber(page, 'Start')
  await releases.shows(page, 'simulating')

  const here = page.locator('[aria-current="step"]')
  const having = page.getByRole('figure', { name: 'Devices over time' }).getByText('Have it now').locator('strong')
  const seen = new Set<string>()
  const curve: number[] = []
  await until(
    'the release complete',
    async () => {
      for (const step of await here.allTextContents()) seen.add(step.split('now')[0] ?? '')
      for (const shown of await having.allTextContents()) if (shown !== '–') curve.push(Number(shown))
      return (await page.locator('[data-release-state="complete"]').count()) > 0
    },
    150_000,
  )
  // The simulation and each stage for as long as they lasted; a stage may be over within one look.
  expect([...seen]).toEqual(expect.arrayContaining(['Simulation', 'Gray 50 %']))
  expect(curve).toEqual([...curve].sort((one, other) => one - other))
  expect(new Set(curve).size, `a curve that rises: ${curve.join(' ')}`).toBeGreaterThan(2)
  await page.locator('body[data-not-reloaded]').waitFor()

  const cells = await sql<{ name: string }>(
    `SELECT concat_ws(' ', id, state) AS name FROM releases_app_simulationcell WHERE release_id = $1 ORDER BY id`,
    release,
  )
  const shown = await page
    .locator('[data-cell]')
    .evaluateAll((all) =>
      all.map((each) => `${each.getAttribute('data-cell') ?? ''} ${each.getAttribute('data-state') ?? ''}`),
    )
  expect(shown.sort()).toEqual(cells.map(({ name }) => name).sort())
  await page.locator('[data-cell]').first().click()
  await page.getByRole('dialog').getByText('Passed').first().waitFor()
  expect(new URL(page.url()).search).toMatch(/^\?cell=\d+$/)
  expect(await someone.accessibilityFaults()).toEqual([])
  await someone.picture('release-simulation-light-1280')
  await page.keyboard.press('Escape')

  await until('the screen to say what PostgreSQL does', async () => {
    const counted = await releases.countedStages(release)
    return counted.length === 4 && same(await releases.shownStages(page), counted)
  })
  await until('one number of devices that have it', async () => {
    const shown = await page.locator('[data-having]').getAttribute('data-having')
    return Number(shown) > 0 && (await having.allTextContents()).join() === shown
  })
  expect(await page.locator('[data-rule]').textContent()).toMatch(/^Devices whose app version is /)
  await page.getByText('Walle completed the release.').waitFor()
  await someone.picture('release-complete-light-1280')
  expect(await releases.shownEntries(page)).toEqual(await releases.auditedEntries(release))
  expect(await releases.standing(release)).toEqual({ state: 'complete', position: 3 })
})
