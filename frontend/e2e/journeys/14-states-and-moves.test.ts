import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { visitor, type Theme } from '../support/browser'
import * as releases from '../support/releases'
import { same, sql, until } from '../support/world'

const TASK = 'shop/recommend'
const VERSION = '1.14.0'
let release = 0

/** If the last stage were left by itself, the release could complete before its rollback. */
const WAITING = { ...releases.HALF, stages: [50, 100].map(releases.waiting) }

/** A stage that was paused and resumed, the next one by hand, and a rollback. */
beforeAll(async () => {
  await releases.registerAgain(TASK, '1.0.0', VERSION)
  release = await releases.draft(TASK, VERSION, WAITING)
  for (const action of ['start', 'pause', 'resume', 'promote', 'roll-back']) {
    await releases.move(release, action, action === 'start' ? '' : `${action} of journey 14`)
  }
})

const nodes = (page: Page) => page.getByRole('listbox', { name: `Nodes of States and moves of release ${release}` })
const node = (page: Page, name: RegExp) => nodes(page).getByRole('option', { name })
const scale = (page: Page) => nodes(page).evaluate((layer) => new DOMMatrix(getComputedStyle(layer).transform).a)

async function opened(theme: Theme, width = 1280) {
  const someone = await visitor({ theme, width, height: 844 })
  await someone.page.goto(`/releases/${release}`)
  await node(someone.page, /^Rolled back/).waitFor()
  await nodes(someone.page).scrollIntoViewIfNeeded()
  return someone
}

test.each<[Theme, number]>([
  ['light', 1280],
  ['dark', 1280],
  ['light', 390],
  ['dark', 390],
])('the way of a release is seen, and read, %s, %i wide', async (theme, width) => {
  const someone = await opened(theme, width)
  const { page } = someone
  const moves = await sql<{ action: string; reason: string }>(
    'SELECT action, reason FROM releases_app_transition WHERE release_id = $1 ORDER BY id',
    release,
  )
  expect(moves.map(({ action }) => action)).toEqual(['start', 'pause', 'resume', 'promote', 'roll-back'])
  expect(await nodes(page).locator('[aria-current=step]').textContent()).toContain('Rolled back')
  const list = page.getByRole('list', { name: /as a list$/ })
  for (const led of ['to Paused: paused', 'to Gray 100 %: promoted', 'to Rolled back: rolled back']) {
    await list.getByText(`has led ${led}`).waitFor({ state: 'attached' })
  }
  // What is shown first is where it is.
  await page.locator('[data-move="roll-back"]').filter({ hasText: 'roll-back of journey 14' }).waitFor()
  await someone.picture(`way-${theme}-${width}`)
  expect(await someone.accessibilityFaults()).toEqual([])
})

test('a mouse drags, zooms and selects; the address keeps what is selected', async () => {
  const { page } = await opened('light')
  await node(page, /^Gray 50 %/).click()
  await page.waitForURL(/place=stage-0/)
  await until('the moves of the stage', async () => {
    const shown = await page.locator('[data-move]').evaluateAll((all) => all.map((each) => each.dataset.move))
    return same(shown, ['promote', 'resume', 'pause', 'start'])
  })
  await page.reload()
  await node(page, /^Gray 50 %/)
    .and(page.locator('[aria-selected=true]'))
    .waitFor()

  const before = await scale(page)
  await page.getByRole('button', { name: 'Zoom in' }).click()
  await until('a larger graph', async () => (await scale(page)) > before)
  const draft = node(page, /^Draft/)
  const from = await draft.boundingBox()
  if (!from) throw new Error('The draft is not drawn.')
  const frame = page.getByRole('group', { name: `States and moves of release ${release}`, exact: true })
  const held = await frame.boundingBox()
  if (!held) throw new Error('The frame is not drawn.')
  const [x, y] = [held.x + held.width / 2, held.y + held.height - 8]
  await page.mouse.move(x, y)
  await page.mouse.down()
  await page.mouse.move(x + 60, y, { steps: 4 })
  await page.mouse.up()
  await until('the graph where it was dragged to', async () => {
    const to = await draft.boundingBox()
    return to && Math.abs(to.x - from.x - 60) < 2
  })
  // The wheel alone scrolls the page.
  const kept = await scale(page)
  await page.mouse.wheel(0, -50)
  expect(await scale(page)).toBe(kept)
  await page.keyboard.down('Control')
  await page.mouse.wheel(0, -50)
  await page.keyboard.up('Control')
  await until('a zoom by Ctrl and the wheel', async () => (await scale(page)) > kept)
  await page.getByRole('button', { name: 'Show all' }).click()
  await until('all of it', async () => (await scale(page)) <= 1)
})

test('the keyboard walks along the edges, selects and zooms', async () => {
  const { page } = await opened('dark')
  const focused = () => page.evaluate(() => document.activeElement?.getAttribute('data-node'))
  await page.getByRole('group', { name: `States and moves of release ${release}`, exact: true }).focus()
  await page.keyboard.press('Tab')
  expect(await focused()).toBe('rolled-back')
  await page.keyboard.press('ArrowLeft')
  expect(await focused()).toBe('stage-1')
  await page.keyboard.press('ArrowLeft')
  expect(await focused()).toBe('stage-0')
  const ring = await nodes(page)
    .locator(':focus')
    .evaluate((element) => getComputedStyle(element).outlineStyle)
  expect(ring).toBe('solid')
  await page.keyboard.press('Enter')
  await page.waitForURL(/place=stage-0/)
  await page.keyboard.press('End')
  await page.keyboard.press('Home')
  expect(await focused()).toBe('draft')
  const before = await scale(page)
  await page.keyboard.press('-')
  await until('a smaller graph', async () => (await scale(page)) < before)
  await page.keyboard.press('0')
  await until('all of it', async () => (await scale(page)) >= before)
})
