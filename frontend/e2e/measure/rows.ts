/**
 * How long it takes from an address to rows that answer to the keyboard, with nothing cached and once more.
 *
 * Beside it, in the same rounds: a page of a few bytes of the same server, and the list's answer alone.
 */
import type { Browser, Page, Request } from 'playwright-core'
import { visit, type Plan } from './visit.ts'

const LISTS = {
  devices: { path: '/devices', answer: '/api/v1/devices?' },
  releases: { path: '/releases', answer: '/api/v1/releases' },
  tasks: { path: '/tasks', answer: '/api/v1/tasks?' },
} as const
const EMPTY = '/healthz'

type Name = keyof typeof LISTS
/** Milliseconds since the navigation began. */
type Seen = { shown: number; moved: number }
/** `script`: bytes of JavaScript that came over the network until then, with headers. */
type Loaded = { seen: Seen; script: number; requests: string[] }
type Times = { cold: Seen[]; warm: Seen[]; answer: number[]; script: number; requests: string[] }

declare global {
  var seen: Seen
}

export async function measureRows(browser: Browser, plan: Plan) {
  const lists: Record<string, Times> = {}
  const empty: number[] = []
  for (let round = plan.rounds > 1 ? 0 : 1; round <= plan.rounds; round += 1) {
    for (const name of Object.keys(LISTS) as Name[]) {
      const context = await visit(browser, plan)
      const page = await context.newPage()
      await page.addInitScript(lookForRows)
      const cold = await load(page, LISTS[name].path)
      const warm = await load(page, LISTS[name].path)
      if (round === plan.rounds) await opens(page)
      await context.close()
      const answer = await answered(plan, cold.requests.find((url) => url.includes(LISTS[name].answer)) ?? '')
      const times = (lists[name] ??= { cold: [], warm: [], answer: [], script: cold.script, requests: cold.requests })
      // Of several rounds the first one warms up the server.
      if (round === 0) continue
      times.cold.push(cold.seen)
      times.warm.push(warm.seen)
      times.answer.push(answer)
    }
    const at = await painted(browser, plan)
    if (round > 0) empty.push(at)
  }
  return { lists, empty }
}

async function load(page: Page, path: string): Promise<Loaded> {
  const requests: Request[] = []
  const asked = (request: Request) => requests.push(request)
  page.on('request', asked)
  await page.goto(path, { waitUntil: 'commit' })
  await page.waitForFunction(() => globalThis.seen.shown > 0)
  await page.keyboard.press('ArrowDown')
  await page.waitForFunction(() => globalThis.seen.moved > 0)
  const seen = await page.evaluate(() => globalThis.seen)
  page.off('request', asked)
  // One that the page gave up, as what it fetched ahead, has no size.
  const scripts = requests.filter((request) => request.url().endsWith('.js') && !request.failure())
  const sizes = await Promise.all(scripts.map((request) => request.sizes()))
  const script = sizes.reduce((sum, { responseBodySize, responseHeadersSize }) => sum + responseBodySize + responseHeadersSize, 0) // prettier-ignore
  return { seen, script, requests: requests.map((request) => request.url()) }
}

/** In the page: when the first row was painted, and when the keyboard had moved from it to the second. */
function lookForRows(): void {
  globalThis.seen = { shown: 0, moved: 0 }
  const look = () => {
    const row = document.querySelector<HTMLElement>('[role=row][data-index="0"]')
    if (row && document.querySelector('[role=row][data-index="1"]')) {
      row.focus()
      requestAnimationFrame(() => (globalThis.seen.shown = performance.now()))
      document.addEventListener('focusin', (event) => {
        const moved = event.target instanceof HTMLElement && event.target.dataset.index === '1'
        if (moved) globalThis.seen.moved ||= performance.now()
      })
    } else {
      requestAnimationFrame(look)
    }
  }
  requestAnimationFrame(look)
}

/** A click on a row opens it. */
async function opens(page: Page): Promise<void> {
  const list = new URL(page.url()).pathname
  await page.locator('[role=row][data-index="1"] [role=gridcell]').nth(1).click()
  await page.waitForURL((url) => url.pathname !== list)
}

async function answered(plan: Plan, address: string): Promise<number> {
  const began = performance.now()
  const response = await fetch(address, { headers: { cookie: `sessionid=${plan.session}` } })
  await response.text()
  if (!response.ok) throw new Error(`${address}: ${response.status}`)
  return performance.now() - began
}

async function painted(browser: Browser, plan: Plan): Promise<number> {
  const context = await visit(browser, plan)
  const page = await context.newPage()
  await page.goto(EMPTY)
  const at = await page.evaluate(
    () =>
      new Promise<number>((tell) => {
        requestAnimationFrame(() => requestAnimationFrame(() => tell(performance.now())))
      }),
  )
  await context.close()
  return at
}
