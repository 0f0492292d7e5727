/** The page's one channel, and the hooks by which components use it. */
import { useEffect, useEffectEvent, useSyncExternalStore } from 'react'
import { rightsChanged, sessionEnded } from '@/api/client'
import { throttle } from '@/lib/throttle'
import { LiveChannel, type LiveStatus } from './channel'
import type { EventOf, GaugeOf } from './messages'

/** Milliseconds between two updates: nobody can read figures that change more often. */
const TELL_MS = 400

export const channel = new LiveChannel({
  connect: () => new WebSocket(`${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/live`),
  random: Math.random,
  schedule: throttle(TELL_MS),
  onLogOut: sessionEnded,
  onRights: rightsChanged,
})

/** `refusal` says in the server's words why a topic cannot be shown. */
export type Gauge<T> = { value: T | undefined; refusal: string | null }

const NOT_WATCHED = { value: undefined, refusal: null }

/** Returns the latest value of a topic, such as `release/42`; null watches nothing. */
export function useGauge<Topic extends string>(topic: Topic | null): Gauge<GaugeOf<Topic>> {
  const reading = useSyncExternalStore(useSubscription(topic), () =>
    topic === null ? NOT_WATCHED : channel.read(topic),
  )
  return reading as Gauge<GaugeOf<Topic>>
}

const subscriptions = new Map<string, (listener: () => void) => () => void>()

function useSubscription(topic: string | null): (listener: () => void) => () => void {
  if (topic === null) return watchNothing
  let subscribe = subscriptions.get(topic)
  if (!subscribe) {
    subscribe = (listener) => channel.watch(topic, listener)
    subscriptions.set(topic, subscribe)
  }
  return subscribe
}

const watchNothing = () => () => undefined

/**
 * Calls `onEvent` with each event of a topic from now on, once each and in order, also after a break.
 *
 * `onReset` is called when events were lost: the data have to be read again.
 */
export function useEvents<Topic extends string>(
  topic: Topic | null,
  onEvent: (event: EventOf<Topic>) => void,
  onReset?: () => void,
): void {
  const handleEvent = useEffectEvent((event: unknown) => onEvent(event as EventOf<Topic>))
  const reset = useEffectEvent(() => onReset?.())
  useEffect(() => {
    if (topic === null) return
    return channel.onEvents(topic, { onEvent: (event) => handleEvent(event), onReset: () => reset() })
  }, [topic])
}

/** Returns the state of the connection. */
export function useLiveStatus(): LiveStatus {
  return useSyncExternalStore(channel.onStatus, channel.getStatus)
}
