/**
 * How smooth the devices' list is: as a wheel turned fast moves it, near its beginning and far down.
 *
 * On the way down, a whole window of rows changes with each frame, and the next page is read again and again.
 */
import type { Browser, Page } from 'playwright-core'
import { visit, type Plan } from './visit.ts'

/** Pixels a frame. */
const WHEEL = 300
const DASH = 2_000
const NEAR_ROWS = 3_000

/** Milliseconds: of each frame, and of each task that took 50 or longer. */
type Scrolled = { rows: number; ms: number; frames: number[]; long: number[] }
/** On until there are so many rows, or for so many frames. */
type Asked = { by: number; rows: number } | { by: number; frames: number }

export async function measureScroll(browser: Browser, plan: Plan) {
  const context = await visit(browser, plan)
  const page = await context.newPage()
  await page.goto('/devices')
  await page.locator('[role=row][data-index="0"]').waitFor()
  await scroll(page, { by: DASH, rows: Math.min(NEAR_ROWS, plan.depth) })
  const near = await scroll(page, { by: -WHEEL, frames: plan.frames })
  const down = await scroll(page, { by: DASH, rows: plan.depth })
  const far = await scroll(page, { by: -WHEEL, frames: plan.frames })
  await context.close()
  return { near, down, far }
}

async function scroll(page: Page, asked: Asked): Promise<Scrolled> {
  return page.evaluate(scrolling, asked)
}

/** In the page. */
function scrolling(asked: Asked): Promise<Scrolled> {
  return new Promise((tell) => {
    const scroller = document.querySelector('[role=grid]')?.parentElement
    const height = document.querySelector('[role=row][data-index]')?.clientHeight ?? 36
    const frames: number[] = []
    const long: number[] = []
    const observer = new PerformanceObserver((list) => long.push(...list.getEntries().map(({ duration }) => duration)))
    observer.observe({ type: 'longtask' })
    const began = performance.now()
    let last = began
    const step = () => {
      const now = performance.now()
      frames.push(now - last)
      last = now
      const rows = Math.floor((scroller?.scrollHeight ?? 0) / height) - 1
      if ('rows' in asked ? rows < asked.rows : frames.length < asked.frames) {
        scroller?.scrollBy({ top: asked.by, behavior: 'instant' })
        requestAnimationFrame(step)
      } else {
        observer.disconnect()
        tell({ rows, ms: now - began, frames, long })
      }
    }
    requestAnimationFrame(step)
  })
}
