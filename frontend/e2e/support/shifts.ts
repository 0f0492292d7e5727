/**
 * What moves on a page by itself, as Chromium counts it: layout shifts, without those after a press or a resize.
 *
 * Chromium leaves out the half second after a resize. On a busy machine the next frame may come later.
 */
import type { Page } from 'playwright-core'
import { expect } from 'vitest'

type Shift = { at: number; value: number; what: string[] }
type Resize = { began: number; drawn: number }
type Watched = typeof globalThis & { shifts?: Shift[]; resizes?: Resize[] }

/** More than this is felt (the sum of all shifts of a time). */
const MOST = 0.05
/** Frames after a resize in which charts and tables follow it. */
const FRAMES = 4

/** Has all shifts of the page's next loads written down; call it before the page is opened. */
export async function watchShifts(page: Page): Promise<void> {
  await page.addInitScript((frames) => {
    const kept: Shift[] = ((globalThis as Watched).shifts = [])
    const resizes: Resize[] = ((globalThis as Watched).resizes = [])
    addEventListener('resize', () => {
      const resize = { began: performance.now(), drawn: Infinity }
      resizes.push(resize)
      const drawFrames = (left: number): void => {
        if (left === 0) resize.drawn = performance.now()
        else requestAnimationFrame(() => drawFrames(left - 1))
      }
      drawFrames(frames)
    })
    type Entry = PerformanceEntry & { value: number; hadRecentInput: boolean; sources: { node: Node | null }[] }
    const observer = new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as Entry[]) {
        if (entry.hadRecentInput) continue
        const what = entry.sources.map(({ node }) => {
          const element = node instanceof Element ? node : node?.parentElement
          return `${element?.tagName.toLowerCase() ?? '?'}.${element?.className ?? ''}: ${element?.textContent.slice(0, 60) ?? ''}`
        })
        kept.push({ at: entry.startTime, value: entry.value, what })
      }
    })
    observer.observe({ type: 'layout-shift', buffered: true })
  }, FRAMES)
}

/** Milliseconds since the page was opened. */
export async function pageTime(page: Page): Promise<number> {
  return page.evaluate(() => performance.now())
}

/** Nothing that is felt has moved since then. */
export async function expectNoShifts(page: Page, since: number): Promise<void> {
  const shifts = await page.evaluate((from) => {
    const { shifts, resizes = [] } = globalThis as Watched
    const isOfResize = (at: number) => resizes.some(({ began, drawn }) => began <= at && at <= drawn)
    return shifts?.filter(({ at }) => at >= from && !isOfResize(at))
  }, since)
  if (!shifts) throw new Error('The shifts of this page are not watched.')
  const sum = shifts.reduce((total, { value }) => total + value, 0)
  expect(sum, `what moved on ${page.url()}: ${JSON.stringify(shifts, null, 1)}`).toBeLessThanOrEqual(MOST)
}
