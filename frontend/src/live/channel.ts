/**
 * One socket for the complete page. Topics are counted: the first watcher subscribes, the last one unsubscribes.
 *
 * Each topic remembers the cursor of its last event; after a break the server continues from there, so that events have
 * neither gaps nor duplicates. If it cannot (a backup was restored, too much was missed), `onReset` is called: data
 * built from events have to be read again. Gauges are the latest values; old ones stay while the connection is lost.
 */
import { replaceEqualDeep } from '@tanstack/react-query'
import { serverNow } from '@/lib/serverClock'
import { LOG_IN, readFrame, TOO_MANY, TOO_SLOW, type ServerMessage } from './messages'

/**
 * `behind` is connected, but the server cannot read its database; `crowded` was refused, because too many pages are
 * open.
 */
export type LiveState = 'connecting' | 'live' | 'behind' | 'reconnecting' | 'crowded' | 'logged-out'

/**
 * `oldSince` is the time of the shown data, or 0 if they are current; `retryAt` is the time of the next attempt, or 0.
 */
export type LiveStatus = { state: LiveState; oldSince: number; retryAt: number }

type Handlers = { onEvent?: (event: unknown) => void; onReset?: () => void }

type Reading = { value: unknown; refusal: string | null }

type Topic = {
  name: string
  watchers: Set<() => void>
  handlers: Set<Handlers>
  reading: Reading
  cursor: string | null
  /** Events before the server's answer belong to a former subscription, which received them. */
  confirmed: boolean
  leaving: ReturnType<typeof setTimeout> | undefined
}

type Socket = Pick<WebSocket, 'send' | 'close' | 'onopen' | 'onmessage' | 'onclose'>

type Environment = {
  connect: () => Socket
  random: () => number
  /** Schedules notifications of readers, soon and not too often; later changes are merged. */
  schedule: (work: () => void) => void
  onLogOut: () => void
  /** Called when the person's rights have changed, or may have changed while the connection was lost. */
  onRights: () => void
}

export const SILENCE_MS = 12_000
export const LEAVE_MS = 1_000
const FIRST_RETRY_MS = 500
const LAST_RETRY_MS = 10_000
const CROWDED_MS = 30_000
const UNAVAILABLE_MS = 2_000
/** Seconds for which the server may be unable to read its database before that is reported. */
const BEHIND_S = 3
const AWAY: readonly LiveState[] = ['connecting', 'reconnecting', 'crowded']
const NOTHING: Reading = { value: undefined, refusal: null }

export class LiveChannel {
  private topics = new Map<string, Topic>()
  private socket: Socket | null = null
  private status: LiveStatus = { state: 'connecting', oldSince: 0, retryAt: 0 }
  private statusListeners = new Set<() => void>()
  private changed = new Set<Topic>()
  private failures = 0
  private lastMessageAt = 0
  private users = 0
  private retry: ReturnType<typeof setTimeout> | undefined
  private silence: ReturnType<typeof setTimeout> | undefined

  constructor(private readonly environment: Environment) {}

  /** Keeps the connection open, also while nothing is watched; returns a function that stops it. */
  hold(): () => void {
    this.users += 1
    if (!this.socket && this.retry === undefined && this.status.state !== 'logged-out') this.connect()
    return () => {
      this.users -= 1
      if (this.users === 0) this.disconnect()
    }
  }

  getStatus = (): LiveStatus => this.status

  onStatus = (listener: () => void): (() => void) => {
    this.statusListeners.add(listener)
    return () => this.statusListeners.delete(listener)
  }

  /** Watches the latest value of a topic; `listener` is called when it changes. Returns a function that stops it. */
  watch(name: string, listener: () => void): () => void {
    const topic = this.enter(name)
    topic.watchers.add(listener)
    return () => {
      topic.watchers.delete(listener)
      this.leave(topic)
    }
  }

  read(name: string): Reading {
    return this.topics.get(name)?.reading ?? NOTHING
  }

  /** Watches the events of a topic from now on, each once. Returns a function that stops it. */
  onEvents(name: string, handlers: Handlers): () => void {
    const topic = this.enter(name)
    topic.handlers.add(handlers)
    return () => {
      topic.handlers.delete(handlers)
      this.leave(topic)
    }
  }

  /**
   * Called when the browser has lost its network. A server on this machine still answers, and is reconnected at once.
   */
  offline = (): void => {
    if (this.socket) this.connectionLost(0)
  }

  /** Called when the network is back, also for an attempt that began without it. */
  online = (): void => {
    if (this.users === 0 || !AWAY.includes(this.status.state)) return
    this.disconnect()
    this.connect()
  }

  /** Called when somebody has logged in: a connection of the session before is useless. */
  renew = (): void => {
    if (this.users === 0) return
    this.disconnect()
    this.failures = 0
    this.connect()
  }

  private enter(name: string): Topic {
    let topic = this.topics.get(name)
    if (!topic) {
      topic = {
        name,
        watchers: new Set(),
        handlers: new Set(),
        reading: NOTHING,
        cursor: null,
        confirmed: false,
        leaving: undefined,
      }
      this.topics.set(name, topic)
      this.subscribe(topic)
    }
    clearTimeout(topic.leaving)
    topic.leaving = undefined
    return topic
  }

  /** Leaves a topic after a moment, because successive pages often watch the same. */
  private leave(topic: Topic): void {
    if (topic.watchers.size + topic.handlers.size > 0) return
    clearTimeout(topic.leaving)
    topic.leaving = setTimeout(() => {
      this.topics.delete(topic.name)
      this.send({ type: 'unsubscribe', topic: topic.name })
    }, LEAVE_MS)
  }

  private connect(): void {
    clearTimeout(this.retry)
    this.retry = undefined
    const socket = this.environment.connect()
    this.socket = socket
    this.setStatus({ ...this.status, state: this.failures > 0 ? 'reconnecting' : 'connecting', retryAt: 0 })
    this.restartSilenceTimer()
    socket.onopen = () => {
      if (this.socket !== socket) return
      // A socket without a login opens too, and is closed then: only an answer shows success.
      this.send({ type: 'ping' })
      for (const topic of this.topics.values()) this.subscribe(topic)
    }
    socket.onmessage = ({ data }: MessageEvent<unknown>) => {
      if (this.socket !== socket) return
      this.restartSilenceTimer()
      if (typeof data === 'string') for (const message of readFrame(data)) this.receive(message)
    }
    socket.onclose = ({ code }) => {
      if (this.socket === socket) this.connectionLost(code)
    }
  }

  private disconnect(): void {
    const socket = this.socket
    this.socket = null
    clearTimeout(this.retry)
    clearTimeout(this.silence)
    this.retry = undefined
    socket?.close()
  }

  private connectionLost(code: number): void {
    this.disconnect()
    if (code === LOG_IN) {
      this.setStatus({ state: 'logged-out', oldSince: 0, retryAt: 0 })
      this.environment.onLogOut()
      return
    }
    const wait = code === TOO_MANY ? CROWDED_MS : code === TOO_SLOW && this.failures === 0 ? 0 : this.backoff()
    this.failures += 1
    const oldSince = this.status.oldSince || this.lastMessageAt
    this.setStatus({ state: code === TOO_MANY ? 'crowded' : 'reconnecting', oldSince, retryAt: serverNow() + wait })
    this.retry = setTimeout(() => this.connect(), wait)
  }

  /** Doubles the delay each time, with jitter, so that not all clients return at once after a restart. */
  private backoff(): number {
    const most = Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** this.failures)
    return most * (0.5 + this.environment.random() / 2)
  }

  /**
   * Restarts the timer of silence: the server sends a heartbeat every five seconds, and without one the connection is
   * lost.
   */
  private restartSilenceTimer(): void {
    clearTimeout(this.silence)
    this.silence = setTimeout(() => this.connectionLost(0), SILENCE_MS)
  }

  private send(message: object): void {
    if (this.socket && this.status.state !== 'logged-out') {
      try {
        this.socket.send(JSON.stringify(message))
      } catch {
        // The socket is not open yet: topics are subscribed to when it is.
      }
    }
  }

  private subscribe(topic: Topic): void {
    topic.confirmed = false
    this.send({ type: 'subscribe', topic: topic.name, after: topic.cursor })
  }

  private receive(message: ServerMessage): void {
    const wasAway = this.status.state === 'reconnecting'
    const oldSince = this.oldSince(message)
    this.lastMessageAt = serverNow()
    const state = oldSince > 0 ? 'behind' : 'live'
    if (state !== this.status.state) {
      this.failures = 0
      this.setStatus({ state, oldSince, retryAt: 0 })
    }
    if (message.type === 'rights' || wasAway) this.rightsChanged()
    if (!('topic' in message) || message.topic === null) return
    const topic = this.topics.get(message.topic)
    if (topic) this.receiveFor(topic, message)
  }

  /** Returns the time of the data: only a heartbeat says how old they are; data of a new connection are new. */
  private oldSince(message: ServerMessage): number {
    const before = this.status.state === 'behind' ? this.status.oldSince : 0
    if (message.type !== 'alive') return before
    if (message.age < BEHIND_S) return 0
    return before || serverNow() - 1000 * message.age
  }

  private receiveFor(topic: Topic, message: Extract<ServerMessage, { topic: string | null }>): void {
    switch (message.type) {
      case 'subscribed':
        topic.confirmed = true
        topic.cursor = message.cursor
        this.setReading(topic, { ...topic.reading, refusal: null })
        break
      case 'event':
        if (!topic.confirmed) break
        topic.cursor = message.cursor
        for (const handlers of [...topic.handlers]) handlers.onEvent?.(message.event)
        break
      case 'gauge':
        // Unchanged parts stay the same objects, so that components that show only those need not render again.
        this.setReading(topic, { value: replaceEqualDeep(topic.reading.value, message.value), refusal: null })
        break
      case 'refused':
        this.refused(topic, message.code, message.detail)
    }
  }

  private refused(topic: Topic, code: string, detail: string): void {
    if (code === 'cursor-expired') {
      topic.cursor = null
      this.subscribe(topic)
      for (const handlers of [...topic.handlers]) handlers.onReset?.()
    } else if (code === 'unavailable') {
      setTimeout(() => {
        if (this.topics.get(topic.name) === topic) this.subscribe(topic)
      }, UNAVAILABLE_MS)
    } else {
      this.setReading(topic, { value: undefined, refusal: detail })
    }
  }

  /** Repeats refused subscriptions, which may be allowed now. */
  private rightsChanged(): void {
    for (const topic of this.topics.values()) if (topic.reading.refusal !== null) this.subscribe(topic)
    this.environment.onRights()
  }

  private setReading(topic: Topic, reading: Reading): void {
    topic.reading = reading
    this.changed.add(topic)
    if (this.changed.size === 1) this.environment.schedule(() => this.notifyWatchers())
  }

  private notifyWatchers(): void {
    const changed = [...this.changed]
    this.changed.clear()
    for (const topic of changed) for (const watcher of [...topic.watchers]) watcher()
  }

  private setStatus(status: LiveStatus): void {
    this.status = status
    for (const listener of [...this.statusListeners]) listener()
  }
}
