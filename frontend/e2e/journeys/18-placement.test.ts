import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { visitor } from '../support/browser'
import * as releases from '../support/releases'
import { newestPlacement, place, published, uploadSources } from '../support/workflows'
import { api, until, walle } from '../support/world'

const QUESTIONS = 'vqa_medium.json'
/** What `walle workflow optimize` proves of it, in USD per hour. */
const CHEAPEST = '$7.485'

async function upload(page: Page, name: string, file: { name: string; mimeType: string; buffer: Buffer }) {
  await page.goto('/placements')
  await page.getByRole('button', { name: 'Upload workflow' }).click()
  const form = page.getByRole('dialog', { name: 'Upload workflow' })
  await form.getByLabel('Scenario').fill('camera')
  await form.getByLabel('Name').fill(name)
  await form.locator('input[type=file]').setInputFiles(file)
  await form.getByRole('button', { name: 'Upload', exact: true }).click()
}

test('a workflow is uploaded and placed: progress as it happens, the proved plan over tiers, baselines, sliders', async () => {
  const { page } = await visitor()
  let polled = 0
  page.on('request', (request) => (polled += request.url().includes('/api/v1/placements?') ? 1 : 0))
  await upload(page, 'questions', await published(QUESTIONS))
  await page.waitForURL('**/placements/camera/questions')
  await page.getByText('Not placed yet').waitFor()

  await page.getByRole('button', { name: 'Place', exact: true }).click()
  await page.getByRole('status').filter({ hasText: 'Plans are found.' }).waitFor()
  const plans = page.getByRole('group', { name: 'Plans', exact: true })
  // The plan is there before what other targets cost.
  await plans.locator('tr[data-plan=Best]').getByText(CHEAPEST, { exact: true }).first().waitFor()
  await page.getByText('this is proved').waitFor()
  const drawing = page.getByRole('group', { name: 'Plan over the tiers' })
  await drawing.getByText('VQA').first().waitFor()

  const baselines = page.getByRole('group', { name: 'Baselines' })
  const firstFit = baselines.locator('tr[data-baseline="first fit"]')
  await firstFit.getByText(/saves \d+ %/).waitFor()
  await page.getByText(/The best plan saves \d+ % against/).waitFor()
  await firstFit.getByRole('button').click()
  await plans.locator('tr[data-plan="Baseline first fit"][aria-current=true]').waitFor()

  const slider = page.getByRole('slider', { name: 'What accuracy costs' })
  await slider.waitFor()
  await page.getByRole('slider', { name: 'What rates cost' }).waitFor()
  await slider.press('Home')
  await page.waitForURL(/plan=a0/)
  await plans.locator('tr[data-plan^=Accuracy][aria-current=true]').waitFor()

  await page.getByRole('group', { name: 'Placements' }).getByText('succeeded').waitFor()
  expect(polled, 'readings of the list by REST').toBeLessThanOrEqual(2)
})

test('the list shows the last placement of each workflow, as it changes', async () => {
  const { page } = await visitor()
  await page.goto('/placements')
  const row = page.getByRole('grid', { name: 'Workflows' }).getByRole('row').filter({ hasText: 'camera/questions' })
  await row.getByText('succeeded').waitFor()
  await row.getByText(`${CHEAPEST} per hour`).waitFor()
  await api('POST', 'workflows/camera/questions/placements', { budget_s: 0 })
  await row.getByText(/pending|running/).waitFor()
  await row.getByText('succeeded').waitFor()
})

test('a placement under way is cancelled, and keeps what it had found', async () => {
  const { page } = await visitor()
  await upload(page, 'cameras', await published('aicity_xlarge_assumed.json'))
  await page.waitForURL('**/placements/camera/cameras')
  await page.getByRole('button', { name: 'Place', exact: true }).click()
  await page
    .getByRole('status')
    .getByText(/the best plan costs \$/)
    .waitFor()
  await page.getByRole('button', { name: 'Cancel', exact: true }).click()
  await page.getByText('It ended early: what it had found by then is below.').waitFor()
  await page.getByRole('group', { name: 'Plan over the tiers' }).waitFor()
  await until('the end of the placement', async () => (await newestPlacement('cameras'))?.state === 'cancelled')
})

test('a document with faults is refused with all of them, and one without a plan says what would help', async () => {
  const someone = await visitor()
  const { page } = someone
  someone.expectsComplaint(/400/)
  const document = JSON.parse((await published(QUESTIONS)).buffer.toString()) as {
    target: { accuracy: unknown; rates: Record<string, number> }
  }
  const file = (text: string) => ({ name: 'workflow.json', mimeType: 'application/json', buffer: Buffer.from(text) })
  const rates = Object.keys(document.target.rates)
  const wrong = { ...document, target: { accuracy: 'high', rates: { [rates[0] ?? '']: -1 } } }
  await upload(page, 'wrong', file(JSON.stringify(wrong)))
  await page.getByText(/target\.accuracy: expected/).waitFor()
  await page
    .getByText(/target\.rates\.\w+: expected/)
    .first()
    .waitFor()

  const greedy = {
    ...document,
    target: { ...document.target, rates: Object.fromEntries(rates.map((each) => [each, 1e6])) },
  }
  await upload(page, 'greedy', file(JSON.stringify(greedy)))
  await page.getByRole('button', { name: 'Place', exact: true }).click()
  await page.getByText('Any one of these changes makes a plan possible:').waitFor()
  expect(await walle('workflow', 'list', '--scenario', 'camera')).toContain('infeasible')
})

/** The testers' devices alone; those that are not of the list get it with the last stage. */
const TO_TESTERS = {
  rule: { fact: 'channel', in: ['internal'] },
  strategy: {
    control_percent: 0,
    stages: [
      { kind: 'beta', list: 'testers', dwell_s: 1, evidence: 2 },
      { kind: 'gray', percent: 100, dwell_s: 1, evidence: 0 },
    ],
  },
}

async function released(version: string, simulation: boolean): Promise<number> {
  const { rule, strategy } = TO_TESTERS
  const release = await releases.draft('camera/lengths', version, { ...strategy, simulation }, rule)
  await releases.move(release, 'start')
  return release
}

/** The state in which a release has ended, if it has. */
async function ended(release: number): Promise<string | false> {
  const state = (await releases.standing(release))?.state ?? ''
  return !['simulating', 'running'].includes(state) && state
}

/** The versions that devices have, the most frequent first. */
async function installed(): Promise<string[]> {
  const found = await api<{ versions: { version: string }[] }>('GET', 'tasks/camera/lengths/installed')
  return found.versions.map(({ version }) => version)
}

test('an applied plan is released: devices run their half, the cloud answers; one that fails there is rolled back', async () => {
  const placement = await place('lengths', await uploadSources('camera/lengths', '1.0.0', 'proper'))
  const someone = await visitor()
  const { page } = someone
  await page.goto('/placements/camera/lengths')
  await page.getByRole('button', { name: 'Apply as a version' }).click()
  const form = page.getByRole('dialog', { name: 'Apply as a version' })
  await form.getByText(/words \(default\)/).waitFor()
  await form.locator('input[value="1.1.0"]').waitFor()
  expect(await someone.accessibilityFaults()).toEqual([])
  await form.getByRole('button', { name: 'Apply', exact: true }).click()
  await page.waitForURL('**/tasks/camera/lengths?version=1.1.0')
  await page.getByRole('heading', { name: 'What runs where' }).waitFor()
  expect(await page.getByRole('link', { name: `Placement #${placement}` }).getAttribute('href')).toContain(
    `/placements/camera/lengths?placement=${placement}`,
  )
  expect(await someone.accessibilityFaults()).toEqual([])

  const first = await released('1.1.0', true)
  expect(await until('the end of the release', () => ended(first))).toBe('complete')
  await until('answers of the cloud half', async () => {
    const { cloud } = await api<{ cloud: { answered: number } }>('GET', 'tasks/camera/lengths/versions/1.1.0')
    return cloud.answered > 0
  })

  await uploadSources('camera/lengths', '2.0.0', 'flawed')
  const onDevice = ['--device-tier', 'phone', '--device-tier', 'edge']
  expect(await walle('workflow', 'register', String(placement), 'lengths', '2.1.0', ...onDevice)).toContain('nothing')
  const second = await released('2.1.0', false)
  expect(await until('the end of the release', () => ended(second))).toBe('rolled-back')
  await until('the devices on the first plan again', async () => (await installed()).join() === '1.1.0')

  await releases.move(first, 'roll-back', 'the end of the journey')
  await until('no device with the workflow', async () => (await installed()).length === 0)
})
