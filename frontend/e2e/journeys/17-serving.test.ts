import { beforeAll, expect, test } from 'vitest'
import { visitor } from '../support/browser'
import { FIRST_ANSWER_MS, PIPELINE, prediction, releasedPipeline } from '../support/pipelines'

let release: number

beforeAll(async () => {
  release = await releasedPipeline()
  expect((await prediction('journey-17', 'What a lovely film')).version).toBe(PIPELINE.version)
}, 2 * FIRST_ANSWER_MS)

test('from the list to a pipeline, its plan, why it is as it is, and the release that brought it', async () => {
  const { page } = await visitor()
  await page.goto('/serving')
  const row = page.getByRole('grid', { name: 'Pipelines' }).getByRole('row').filter({ hasText: PIPELINE.task })
  await row.getByText('1.0.0 for all in market').waitFor()
  await row.getByRole('link', { name: PIPELINE.task }).click()

  const stages = page.getByRole('listbox', { name: `Plan of ${PIPELINE.version}` }).getByRole('option')
  await stages.first().waitFor()
  expect(await stages.evaluateAll((nodes) => nodes.map((node) => node.getAttribute('data-node')))).toHaveLength(4)
  await stages.nth(2).click()
  await page.getByRole('heading', { name: 'Plan stage stage-2' }).waitFor()
  const rules = page.getByRole('group', { name: 'Rules that were applied' })
  await rules.locator('tr[data-rule="push linear models"]').waitFor()
  await rules.locator('tr[data-rule="fuse featurizers"]').first().waitFor()

  await page.getByRole('link', { name: `release ${release}` }).click()
  await page.waitForURL(`**/releases/${release}`)
  await page.getByRole('heading', { name: `${PIPELINE.task} ${PIPELINE.version}` }).waitFor()
})

test('a release of a pipeline begins with every caller, and has no pace', async () => {
  const { page } = await visitor()
  const [scenario, task] = PIPELINE.task.split('/')
  const draft = `app=market&scenario=${scenario}&task=${task}&version=${PIPELINE.version}`
  await page.goto(`/releases/new?${draft}&step=devices`)
  await page.getByRole('group', { name: 'Condition' }).getByText('Every caller').waitFor()
  await page.getByRole('button', { name: 'Continue to stages and limits' }).click()
  await page.getByRole('group', { name: 'Table of stages' }).getByRole('columnheader', { name: 'Callers' }).waitFor()
  expect(await page.getByRole('columnheader', { name: /Pace/ }).count()).toBe(0)
  await page.getByRole('button', { name: 'Continue to review' }).click()
  await page.getByText('callers of market, who are counted when they call').waitFor()
})
