/**
 * How a page comes and answers: the largest contentful paint beside that of an empty Walle, interactions to the next
 * paint, and what moves by itself.
 *
 * Definitions are those of the web vitals (web.dev/vitals). Nothing is cached; both Walles are asked in turns.
 */
import type { Browser, Page } from 'playwright-core'
import { visit, type Plan, type Server } from './visit.ts'
import { watchVitals } from './vitals.ts'

const PAGES = { fleet: '/', devices: '/devices', releases: '/releases', tasks: '/tasks' } as const
/** Longer than a page takes after its last answer. */
const SETTLED_MS = 1000

type Name = keyof typeof PAGES
/** Milliseconds of a largest paint, and of the interactions that took a frame or longer; the sum of shifts. */
type Vitals = { paint: number; interactions: number[]; shift: number }
type Times = { empty: number[]; full: number[]; interactions: number[]; shifts: number[] }

export async function measurePaint(browser: Browser, plan: Plan) {
  const times = {} as Record<Name, Times>
  for (const name of Object.keys(PAGES) as Name[]) {
    times[name] = { empty: [], full: [], interactions: [], shifts: [] }
    for (let round = plan.visits > 1 ? 0 : 1; round <= plan.visits; round += 1) {
      const empty = await look(browser, plan.empty, PAGES[name], false)
      const full = await look(browser, plan, PAGES[name], true)
      // Of several rounds the first one warms up the servers.
      if (round === 0) continue
      times[name].empty.push(empty.paint)
      times[name].full.push(full.paint)
      times[name].interactions.push(...full.interactions)
      times[name].shifts.push(full.shift)
    }
  }
  return times
}

async function look(browser: Browser, server: Server, path: string, interacts: boolean): Promise<Vitals> {
  const context = await visit(browser, server)
  const page = await context.newPage()
  await page.addInitScript(watchVitals)
  await page.goto(path)
  await page.locator('main h1').waitFor()
  await page.waitForLoadState('networkidle')
  await page.waitForTimeout(SETTLED_MS)
  const { paint, shift } = await vitalsOf(page)
  if (interacts) await interact(page)
  const { interactions } = await vitalsOf(page)
  await context.close()
  return { paint, shift, interactions }
}

/** What somebody does on every page: the palette, a search in it, the keys of lists, and a click on what is first. */
async function interact(page: Page): Promise<void> {
  const palette = page.getByRole('combobox', { name: /Go to/ })
  await page.keyboard.press('Control+k')
  await palette.waitFor()
  await page.keyboard.type('bench', { delay: 60 })
  await page.waitForTimeout(300)
  await page.keyboard.press('Escape')
  await palette.waitFor({ state: 'detached' })
  const field = page.locator('main input[type=search], main [role=searchbox], main input[type=text]').first()
  if (await field.isVisible()) {
    await field.click()
    await page.keyboard.type('1', { delay: 60 })
    await page.waitForTimeout(500)
    await page.keyboard.press('Backspace')
    await page.waitForTimeout(500)
  }
  const row = page.locator('[role=row][data-index="0"]')
  if (await row.isVisible()) {
    await row.focus()
    for (let step = 0; step < 5; step += 1) await page.keyboard.press('ArrowDown')
    await page.locator('[role=row][data-index="1"] [role=gridcell]').nth(1).click()
  } else {
    await page.locator('main label').nth(1).click()
  }
  await page.waitForTimeout(SETTLED_MS)
}

function vitalsOf(page: Page): Promise<Vitals> {
  return page.evaluate(() => ({ ...vitals, interactions: [...vitals.interactions.values()] }))
}
