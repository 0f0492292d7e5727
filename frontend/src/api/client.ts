/**
 * The typed client of /api/v1: session cookie, CSRF header, problems as exceptions, writes done once.
 *
 * Reading in a component: `useQuery(reading('/api/v1/releases/{release}', { path: { release } }))`, lists by
 * `usePages(...)` (hooks/usePages). Writing: `await answer(client.POST(path, { params, body }))`.
 */
import createClient, { type Middleware } from 'openapi-fetch'
import { learnServerTime } from '@/lib/serverClock'
import type { paths } from './generated/schema'
import { ApiProblem } from './problem'

const UNSAFE = new Set(['POST', 'PUT', 'PATCH', 'DELETE'])
const REPEATABLE = new Set(['POST', 'PATCH'])
const RETRY_AFTER_MS = 500

type Listener = () => void
const ended = new Set<Listener>()

/** Calls `listener` when an answer says that nobody is logged in any more; returns a function that stops it. */
export function onSessionEnd(listener: Listener): Listener {
  ended.add(listener)
  return () => ended.delete(listener)
}

/** Tell all listeners; the live channel does so too when it is closed with 4401. */
export function sessionEnded(): void {
  for (const listener of ended) listener()
}

const beginListeners = new Set<Listener>()

/** Calls `listener` when somebody has logged in again; returns a function that stops it. */
export function onSessionBegin(listener: Listener): Listener {
  beginListeners.add(listener)
  return () => beginListeners.delete(listener)
}

export function sessionBegun(): void {
  for (const listener of beginListeners) listener()
}

const changed = new Set<Listener>()

/** Calls `listener` when the person's rights have changed; returns a function that stops it. */
export function onRightsChange(listener: Listener): Listener {
  changed.add(listener)
  return () => changed.delete(listener)
}

/** Calls all listeners; the live channel is one of them. */
export function rightsChanged(): void {
  for (const listener of changed) listener()
}

const guard: Middleware = {
  onRequest({ request }) {
    if (!UNSAFE.has(request.method)) return
    request.headers.set('X-CSRFToken', cookie('csrftoken'))
    if (REPEATABLE.has(request.method) && !request.headers.has('Idempotency-Key')) {
      request.headers.set('Idempotency-Key', randomKey())
    }
  },
  async onResponse({ response, schemaPath }) {
    learnServerTime(response.headers.get('Date'))
    if (response.ok || response.status === 304) return
    if (response.status === 401 && schemaPath !== '/api/v1/session') sessionEnded()
    throw await ApiProblem.of(response)
  },
}

/**
 * Sends a request, and repeatable ones once more after a broken connection: their key ensures that they are done once.
 */
async function sendTwice(request: Request): Promise<Response> {
  const again = request.headers.has('Idempotency-Key') ? request.clone() : null
  try {
    return await fetch(request)
  } catch (error) {
    if (request.signal.aborted) throw error
    if (!again) throw ApiProblem.unreachable()
    await new Promise((resolve) => setTimeout(resolve, RETRY_AFTER_MS))
    return fetch(again).catch(() => {
      throw ApiProblem.unreachable()
    })
  }
}

export const client = createClient<paths>({
  baseUrl: '',
  credentials: 'same-origin',
  fetch: sendTwice,
  // The default of OpenAPI unless stated: `facts: { 'fact.model': 'Pixel 8' }` is `fact.model=Pixel 8`.
  querySerializer: { object: { style: 'form', explode: true } },
})
client.use(guard)

type Answered<T> = Promise<{ data?: T; response: Response }>

/** The body of an answer; raises ApiProblem. */
export async function answer<T>(call: Answered<T>): Promise<T> {
  return (await call).data as T
}

/** Returns the body and its ETag, for `ifMatch`. */
export async function answerWithTag<T>(call: Answered<T>): Promise<{ data: T; etag: string | null }> {
  const { data, response } = await call
  return { data: data as T, etag: response.headers.get('ETag') }
}

/** Returns the headers of a write that must not overwrite changes of others: it is refused with 412 then. */
export function ifMatch(etag: string | null): Record<string, string> {
  return etag === null ? {} : { 'If-Match': etag }
}

export function cookie(name: string, jar: string = document.cookie): string {
  const found = jar.split('; ').find((each) => each.startsWith(`${name}=`))
  return found ? decodeURIComponent(found.slice(name.length + 1)) : ''
}

/** Works also where `crypto.randomUUID` is missing: on pages that came by plain HTTP from another machine. */
function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
