import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { visitor } from '../support/browser'
import { pictures } from '../support/pictures'
import { api, until } from '../support/world'

const DOCUMENT = fileURLToPath(new URL('../../../benchmarks/support/placement/inputs/vqa_medium.json', import.meta.url))
const SCENARIO = 'camera'
/** Another one each time that the journey begins. */
const NAME = `questions-${Date.now().toString(36)}`
/** What the authors' own optimizer answers for this workflow costs more: USD per hour. */
const AUTHORS_COST = 7.509

type Placed = { id: number; state: string }

test('a workflow is uploaded, placed before the eyes, and compared with baselines and other targets', async () => {
  const someone = await visitor()
  const { page } = someone
  await page.goto('/placements')
  await page.getByRole('button', { name: 'Upload workflow' }).click()
  const dialog = page.getByRole('dialog', { name: 'Upload workflow' })
  await dialog.getByLabel('Scenario').fill(SCENARIO)
  await dialog.getByLabel('Name').fill(NAME)
  await dialog.locator('input[type=file]').setInputFiles(DOCUMENT)
  await dialog.getByRole('button', { name: 'Upload' }).click()
  await page.waitForURL(`**/placements/${SCENARIO}/${NAME}`)

  await page.getByText('Not placed yet').waitFor()
  await page.getByRole('button', { name: 'Place', exact: true }).click()
  await page.locator('[data-placement]').getByText('succeeded').waitFor()
  const best = page.locator('tr[data-plan="Best"]')
  expect(Number(/\$([\d.]+)/.exec((await best.textContent()) ?? '')?.[1])).toBeLessThan(AUTHORS_COST)
  await page.getByText('this is proved').waitFor()
  await page.getByRole('group', { name: 'Plan over the tiers' }).waitFor()
  await pictures('placement', someone)

  await page.locator('tr[data-baseline="first fit"] button').click()
  await page.locator('tr[data-plan="Baseline first fit"][aria-current="true"]').waitFor()

  const slider = page.getByRole('slider', { name: 'What accuracy costs' })
  await slider.press('End')
  await page.locator('tr[data-plan^="Accuracy"][aria-current="true"]').waitFor()
  const dearest = new URL(page.url()).searchParams.get('plan')
  await slider.press('Home')
  await until('another point in the address', () =>
    Promise.resolve(new URL(page.url()).searchParams.get('plan') !== dearest),
  )
})

test('a placement that is asked for elsewhere appears by itself, in the page and in the list, and can be cancelled', async () => {
  const { page } = await visitor()
  await page.goto(`/placements/${SCENARIO}/${NAME}`)
  await page.locator('[data-placement]').first().waitFor()
  const path = `workflows/${SCENARIO}/${NAME}`
  await api('PUT', path, { document: harder(JSON.parse(await readFile(DOCUMENT, 'utf8')) as Problem) })
  const { id } = await api<Placed>('POST', `${path}/placements`, { budget_s: 60 })
  await page.locator(`[data-placement="${id}"]`).waitFor()
  await page.goto(`/placements/${SCENARIO}/${NAME}?placement=${id}`)
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.locator(`[data-placement="${id}"]`).getByText('cancelled').waitFor()
  expect((await api<Placed>('GET', `placements/${id}`)).state).toBe('cancelled')

  await page.goto('/placements')
  const row = page.getByRole('grid', { name: 'Workflows' }).getByRole('row').filter({ hasText: NAME })
  await row.getByText('cancelled').waitFor()
})

type Worker = { id: string; type: string }
type Problem = {
  infrastructure: { workers: Worker[] }
  profiles: { p75: Record<string, Record<string, Record<string, number>>> }
}

/** The same with many more workers of each type whose latencies are known, which keeps the solver busy. */
function harder(problem: Problem): Problem {
  const { infrastructure, profiles } = problem
  const { workers } = infrastructure
  const known = workers.filter(({ type }) =>
    Object.values(profiles.p75).every((models) => Object.values(models).every((latencies) => type in latencies)),
  )
  const more = Array.from({ length: 8 }, (_, n) => known.map((each) => ({ ...each, id: `${each.id}-${n}` })))
  return { ...problem, infrastructure: { ...infrastructure, workers: [...workers, ...more.flat()] } }
}
