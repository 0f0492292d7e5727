import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { throttle } from './throttle'

const page = { hidden: false }

beforeEach(() => {
  vi.useFakeTimers()
  vi.stubGlobal('document', page)
  vi.stubGlobal('requestAnimationFrame', (work: () => void) => setTimeout(work, 16))
  page.hidden = false
})
afterEach(() => {
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

test('the first comes with the next frame, the next after a while', () => {
  const work = vi.fn()
  const run = throttle(250)
  run(work)
  vi.advanceTimersByTime(16)
  expect(work).toHaveBeenCalledTimes(1)
  run(work)
  vi.advanceTimersByTime(249)
  expect(work).toHaveBeenCalledTimes(1)
  vi.advanceTimersByTime(17)
  expect(work).toHaveBeenCalledTimes(2)
})

test('no frame is waited for while the page is hidden', () => {
  const work = vi.fn()
  page.hidden = true
  throttle(250)(work)
  vi.advanceTimersByTime(250)
  expect(work).toHaveBeenCalledTimes(1)
})
