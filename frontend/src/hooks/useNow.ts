import { useSyncExternalStore } from 'react'
import { serverNow } from '@/lib/serverClock'

const TICK_MS = 1000
const listeners = new Set<() => void>()
let now = serverNow()
let timer: ReturnType<typeof setInterval> | undefined

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  timer ??= setInterval(() => {
    now = serverNow()
    for (const each of listeners) each()
  }, TICK_MS)
  return () => {
    listeners.delete(listener)
    if (listeners.size === 0) {
      clearInterval(timer)
      timer = undefined
    }
  }
}

/** Without listeners the clock does not tick, so it is read again. */
function current(): number {
  if (timer === undefined && Math.abs(serverNow() - now) > TICK_MS) now = serverNow()
  return now
}

/** Returns milliseconds since 1970 by the server's clock, each second; all callers share one timer. */
export function useNow(): number {
  return useClock((time) => time)
}

/** Returns what a function computes from the clock, a text or a number; renders only when it has changed. */
export function useClock<Read extends string | number>(read: (now: number) => Read): Read {
  return useSyncExternalStore(subscribe, () => read(current()))
}
