import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { LEAVE_MS, LiveChannel, SILENCE_MS } from './channel'
import { LOG_IN, readFrame, TOO_MANY, TOO_SLOW } from './messages'

class FakeSocket {
  onopen: ((event: Event) => void) | null = null
  onmessage: ((event: MessageEvent) => void) | null = null
  onclose: ((event: CloseEvent) => void) | null = null
  sent: { type: string; topic?: string; after?: string | null }[] = []
  isClosed = false

  send(text: string) {
    this.sent.push(JSON.parse(text) as (typeof this.sent)[number])
  }
  close() {
    this.isClosed = true
  }
  open() {
    this.onopen?.({} as Event)
  }
  tell(...messages: object[]) {
    this.onmessage?.({ data: messages.map((each) => JSON.stringify(each)).join('\n') } as MessageEvent)
  }
  end(code: number) {
    this.onclose?.({ code } as CloseEvent)
  }
  get subscriptions() {
    return this.sent.filter((each) => each.type === 'subscribe')
  }
}

const sockets: FakeSocket[] = []
const loggedOut = vi.fn()
const rightsChanged = vi.fn()
let channel: LiveChannel

beforeEach(() => {
  vi.useFakeTimers()
  sockets.length = 0
  loggedOut.mockClear()
  rightsChanged.mockClear()
  channel = new LiveChannel({
    connect: () => {
      sockets.push(new FakeSocket())
      return last()
    },
    random: () => 1,
    schedule: (work) => work(),
    onLogOut: loggedOut,
    onRights: rightsChanged,
  })
})
afterEach(() => vi.useRealTimers())

function last(): FakeSocket {
  const socket = sockets.at(-1)
  if (!socket) throw new Error('nobody has connected')
  return socket
}

function live(): FakeSocket {
  channel.hold()
  last().open()
  last().tell({ type: 'pong' })
  return last()
}

const event = (cursor: string, id: number) => ({ type: 'event', topic: 'releases', cursor, event: { id } })
const subscribed = (cursor: string) => ({ type: 'subscribed', topic: 'releases', cursor })

test('it is live only once the server has said something', () => {
  channel.hold()
  expect(channel.getStatus().state).toBe('connecting')
  last().open()
  expect(channel.getStatus().state).toBe('connecting')
  last().tell({ type: 'pong' })
  expect(channel.getStatus().state).toBe('live')
})

test('a topic is subscribed to once for all who watch it, and left after the last', () => {
  const socket = live()
  const stops = [
    channel.watch('releases', vi.fn()),
    channel.watch('releases', vi.fn()),
    channel.onEvents('releases', {}),
  ]
  expect(socket.subscriptions).toHaveLength(1)
  for (const stop of stops) stop()
  vi.advanceTimersByTime(LEAVE_MS - 1)
  const back = channel.watch('releases', vi.fn())
  vi.advanceTimersByTime(2 * LEAVE_MS)
  expect(socket.sent.at(-1)?.type).toBe('subscribe')
  back()
  vi.advanceTimersByTime(LEAVE_MS)
  expect(socket.sent.at(-1)).toEqual({ type: 'unsubscribe', topic: 'releases' })
})

test('watchers are told of gauges, and read the latest', () => {
  const listener = vi.fn()
  const socket = live()
  channel.watch('fleet', listener)
  socket.tell({ type: 'gauge', topic: 'fleet', value: { online: 3 } })
  expect(listener).toHaveBeenCalledTimes(1)
  expect(channel.read('fleet')).toEqual({ value: { online: 3 }, refusal: null })
  expect(channel.read('other').value).toBeUndefined()
})

test('after a break it goes on after the last event: none twice, none left out', () => {
  const heard: number[] = []
  const socket = live()
  channel.onEvents('releases', { onEvent: (event) => heard.push((event as { id: number }).id) })
  socket.tell(subscribed('c0'), event('c1', 1), event('c2', 2))
  socket.end(1006)
  expect(channel.getStatus().state).toBe('reconnecting')
  vi.advanceTimersByTime(500)
  last().open()
  expect(last().subscriptions).toEqual([{ type: 'subscribe', topic: 'releases', after: 'c2' }])
  last().tell(subscribed('c2'), event('c3', 3))
  expect(channel.getStatus().state).toBe('live')
  expect(heard).toEqual([1, 2, 3])
  socket.tell(event('c9', 9))
  expect(heard).toEqual([1, 2, 3])
})

test('events of a former subscription that are still on their way are not taken', () => {
  const heard = vi.fn()
  const socket = live()
  channel.onEvents('releases', { onEvent: heard })
  socket.tell(event('c1', 1), subscribed('c1'), event('c2', 2))
  expect(heard.mock.calls).toEqual([[{ id: 2 }]])
})

test('it waits longer each time, up to ten seconds, and begins anew once it was live', () => {
  live().end(1006)
  const waits = Array.from({ length: 9 }, () => {
    const wait = channel.getStatus().retryAt - Date.now()
    vi.advanceTimersByTime(wait)
    last().end(1006)
    return wait
  })
  expect(waits).toEqual([500, 1000, 2000, 4000, 8000, 10_000, 10_000, 10_000, 10_000])
  vi.advanceTimersByTime(10_000)
  last().open()
  last().tell({ type: 'pong' })
  last().end(1006)
  expect(channel.getStatus().retryAt - Date.now()).toBe(500)
})

test('a server that gives no sign is given up', () => {
  const socket = live()
  vi.advanceTimersByTime(SILENCE_MS - 1)
  socket.tell({ type: 'alive', age: 0 })
  vi.advanceTimersByTime(SILENCE_MS - 1)
  expect(channel.getStatus().state).toBe('live')
  vi.advanceTimersByTime(1)
  expect(channel.getStatus().state).toBe('reconnecting')
  expect(socket.isClosed).toBe(true)
})

test('that the server cannot read its database is told, and that it can again', () => {
  const socket = live()
  const now = Date.now()
  socket.tell({ type: 'alive', age: 2 })
  expect(channel.getStatus().state).toBe('live')
  socket.tell({ type: 'alive', age: 7.5 })
  expect(channel.getStatus()).toEqual({ state: 'behind', oldSince: now - 7_500, retryAt: 0 })
  vi.advanceTimersByTime(2_500)
  socket.tell({ type: 'alive', age: 9.9 }, event('c1', 1))
  expect(channel.getStatus()).toEqual({ state: 'behind', oldSince: now - 7_500, retryAt: 0 })
  socket.tell({ type: 'alive', age: 0 })
  expect(channel.getStatus()).toEqual({ state: 'live', oldSince: 0, retryAt: 0 })
})

test('it is told from when the last is that came, however often it was tried since', () => {
  const socket = live()
  vi.advanceTimersByTime(4_000)
  socket.tell({ type: 'alive', age: 0 })
  const heard = Date.now()
  vi.advanceTimersByTime(3_000)
  socket.end(1006)
  vi.advanceTimersByTime(500)
  expect(channel.getStatus()).toEqual({ state: 'reconnecting', oldSince: heard, retryAt: 0 })
  last().end(1006)
  expect(channel.getStatus().oldSince).toBe(heard)
  vi.advanceTimersByTime(1_000)
  last().open()
  last().tell({ type: 'pong' })
  expect(channel.getStatus()).toEqual({ state: 'live', oldSince: 0, retryAt: 0 })
})

test('what was old already stays as old when the connection goes, too', () => {
  const socket = live()
  socket.tell({ type: 'alive', age: 60 })
  const { oldSince } = channel.getStatus()
  vi.advanceTimersByTime(2_000)
  socket.end(1006)
  expect(channel.getStatus()).toMatchObject({ state: 'reconnecting', oldSince })
})

test('without a network it is not live any more, at once; with one it is tried again, at once', () => {
  const socket = live()
  channel.watch('releases', vi.fn())
  socket.tell(subscribed('c4'))
  channel.offline()
  expect(channel.getStatus().state).toBe('reconnecting')
  expect(socket.isClosed).toBe(true)
  while (channel.getStatus().retryAt - Date.now() < 10_000) {
    vi.advanceTimersByTime(channel.getStatus().retryAt - Date.now())
    last().end(1006)
  }
  const tried = sockets.length
  channel.online()
  expect(sockets).toHaveLength(tried + 1)
  last().open()
  last().tell({ type: 'pong' })
  expect(channel.getStatus().state).toBe('live')
  expect(last().subscriptions).toEqual([{ type: 'subscribe', topic: 'releases', after: 'c4' }])
  expect(rightsChanged).toHaveBeenCalledOnce()
})

test('an attempt that began without a network is not waited for', () => {
  live().end(1006)
  vi.advanceTimersByTime(500)
  const hanging = last()
  channel.online()
  expect(hanging.isClosed).toBe(true)
  expect(last()).not.toBe(hanging)
  hanging.end(1006)
  last().open()
  last().tell({ type: 'pong' })
  expect(channel.getStatus().state).toBe('live')
})

test.each(['live', 'logged out', 'not held'])('a network that comes back changes nothing when it is %s', (how) => {
  if (how === 'not held') channel.hold()()
  else if (how === 'live') live()
  else live().end(LOG_IN)
  const before = channel.getStatus()
  const tried = sockets.length
  channel.online()
  vi.advanceTimersByTime(1_000)
  expect(sockets).toHaveLength(tried)
  expect(channel.getStatus()).toEqual(before)
})

test('logged out it does not try again, until somebody has logged in', () => {
  channel.watch('releases', vi.fn())
  live().end(LOG_IN)
  expect(loggedOut).toHaveBeenCalledOnce()
  vi.advanceTimersByTime(120_000)
  expect(sockets).toHaveLength(1)
  expect(channel.getStatus().state).toBe('logged-out')
  channel.renew()
  last().open()
  expect(sockets).toHaveLength(2)
  expect(last().subscriptions).toHaveLength(1)
})

test('a login takes the place of a connection of the session before', () => {
  const before = live()
  channel.watch('releases', vi.fn())
  before.tell(subscribed('c4'))
  channel.renew()
  last().open()
  expect(before.isClosed).toBe(true)
  before.end(LOG_IN)
  expect(loggedOut).not.toHaveBeenCalled()
  expect(last().subscriptions).toEqual([{ type: 'subscribe', topic: 'releases', after: 'c4' }])
})

test('with other rights, what was refused is asked for again', () => {
  const socket = live()
  channel.watch('release/7', vi.fn())
  channel.watch('releases', vi.fn())
  socket.tell({ type: 'refused', topic: 'release/7', code: 'not-found', detail: 'not yours to see' })
  expect(rightsChanged).not.toHaveBeenCalled()
  socket.tell({ type: 'rights' })
  expect(rightsChanged).toHaveBeenCalledOnce()
  expect(socket.subscriptions.map(({ topic }) => topic)).toEqual(['release/7', 'releases', 'release/7'])
  socket.tell({ type: 'subscribed', topic: 'release/7', cursor: 'c1' })
  expect(channel.read('release/7').refusal).toBeNull()
})

test('rights may have changed while it was away', () => {
  live().end(1006)
  vi.advanceTimersByTime(500)
  last().open()
  last().tell({ type: 'pong' }, { type: 'alive', age: 0 })
  expect(rightsChanged).toHaveBeenCalledOnce()
})

test('who was too slow comes back at once', () => {
  live().end(TOO_SLOW)
  vi.advanceTimersByTime(0)
  expect(sockets).toHaveLength(2)
})

test('with too many pages open it says so, and tries again seldom', () => {
  live().end(TOO_MANY)
  expect(channel.getStatus()).toMatchObject({ state: 'crowded', retryAt: Date.now() + 30_000 })
  vi.advanceTimersByTime(29_999)
  expect(sockets).toHaveLength(1)
  vi.advanceTimersByTime(1)
  last().open()
  last().tell({ type: 'pong' })
  expect(channel.getStatus().state).toBe('live')
})

test('where the server cannot go on from the cursor, it begins anew and says so', () => {
  const reset = vi.fn()
  const socket = live()
  channel.onEvents('releases', { onReset: reset })
  socket.tell(subscribed('c5'))
  socket.tell({ type: 'refused', topic: 'releases', code: 'cursor-expired', detail: 'begin anew' })
  expect(reset).toHaveBeenCalledOnce()
  expect(socket.subscriptions.at(-1)?.after).toBeNull()
})

test('a refusal is shown; one that passes is asked again', () => {
  const socket = live()
  channel.watch('release/7', vi.fn())
  socket.tell({ type: 'refused', topic: 'release/7', code: 'unavailable', detail: 'just now' })
  expect(channel.read('release/7').refusal).toBeNull()
  vi.advanceTimersByTime(2_000)
  expect(socket.subscriptions).toHaveLength(2)
  socket.tell({ type: 'refused', topic: 'release/7', code: 'not-found', detail: 'not yours to see' })
  expect(channel.read('release/7').refusal).toBe('not yours to see')
})

test('when nobody holds it any more it is closed for good', () => {
  const stop = channel.hold()
  last().open()
  stop()
  expect(last().isClosed).toBe(true)
  vi.advanceTimersByTime(60_000)
  expect(sockets).toHaveLength(1)
})

test('lines that are no messages are left out', () => {
  expect(readFrame('{"type":"pong"}\nnonsense\nnull\n7\n{"type":"alive","age":0}')).toHaveLength(2)
})
