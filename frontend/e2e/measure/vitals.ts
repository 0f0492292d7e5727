/** The web vitals of a page, which it counts itself: web.dev/vitals. */

declare global {
  /** Milliseconds of the largest contentful paint and of each interaction, and the sum of what shifted by itself. */
  var vitals: { paint: number; interactions: Map<number, number>; shift: number }
}

/** In the page. */
export function watchVitals(): void {
  globalThis.vitals = { paint: 0, interactions: new Map<number, number>(), shift: 0 }
  const observe = (type: string, take: (entry: PerformanceEntry) => void, more = {}) => {
    const observer = new PerformanceObserver((list) => list.getEntries().forEach(take))
    observer.observe({ type, buffered: true, ...more })
  }
  observe('largest-contentful-paint', ({ startTime }) => (vitals.paint = startTime))
  observe('layout-shift', (entry) => {
    const { value, hadRecentInput } = entry as PerformanceEntry & { value: number; hadRecentInput: boolean }
    if (!hadRecentInput) vitals.shift += value
  })
  const timed = (entry: PerformanceEntry) => {
    const { interactionId, duration } = entry as PerformanceEntry & { interactionId: number }
    if (interactionId) vitals.interactions.set(interactionId, Math.max(duration, vitals.interactions.get(interactionId) ?? 0)) // prettier-ignore
  }
  observe('event', timed, { durationThreshold: 16 })
}
