/** The running system that the journeys are in; `walleweb/dashboard/journeys.py` makes it. */
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'

function given(name: string): string {
  const value = process.env[`WALLE_E2E_${name}`]
  if (value === undefined) throw new Error(`The journeys need a running world: make e2e (WALLE_E2E_${name} is missing)`)
  return value
}

export const python = given('PYTHON')
const held = given('HELD')

/** What takes longer hangs, also on a machine that is busy with something else; no journey waits for so long. */
export const HANG_MS = 90_000

export const world = {
  url: given('URL'),
  user: given('USER'),
  password: given('PASSWORD'),
  /** An API and git token of the user, who is staff. */
  token: given('TOKEN'),
  app: 'market',
  /** With which devices of the app enrol. */
  appKey: given('APP_KEY'),
  /** Of the emulated devices: "1.0.0" is the oldest, with a smaller numpy. */
  appVersions: ['1.0.0', '1.1.0', '2.0.0'],
  /** Released to all devices at first. */
  tasks: ['camera/digits', 'comments/sentiment', 'shop/recommend'],
  /** Pushed and not released, of camera/digits. */
  better: '1.1.0',
  /** Stages (simulation, testers, gray 20, 50, 100 %) that the fleet passes within seconds. */
  strategy: JSON.parse(given('STRATEGY')) as Record<string, unknown>,
  /** The process that starts again what has ended, unless there is this file. */
  keeper: Number(given('KEEPER')),
  held,
  /** Cookies of the user's session, once a journey has logged in. */
  session: join(dirname(held), 'session.json'),
} as const

const database = new pg.Pool({ connectionString: given('DATABASE'), max: 2 })
// A connection that PostgreSQL has ended is made anew.
database.on('error', () => undefined)

/** Rows of PostgreSQL: what is true. Counts come as numbers when cast: `count(*)::int`. */
export async function sql<Row extends pg.QueryResultRow>(query: string, ...values: unknown[]): Promise<Row[]> {
  return (await database.query<Row>(query, values)).rows
}

/** A request to the API with the user's token; raises unless it was done. */
export async function api<Body>(method: string, path: string, body?: unknown): Promise<Body> {
  const response = await fetch(`${world.url}/api/v1/${path}`, {
    method,
    headers: { Authorization: `Bearer ${world.token}`, 'Content-Type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
  return (text ? JSON.parse(text) : null) as Body
}

/** The `walle` command; what it printed. */
export async function walle(...words: string[]): Promise<string> {
  const env = { ...process.env, WALLE_URL: world.url, WALLE_TOKEN: world.token }
  return (await promisify(execFile)(join(dirname(python), 'walle'), words, { env })).stdout
}

/** A new folder for as long as it is used. */
export async function inFolder<Made>(work: (folder: string) => Promise<Made>): Promise<Made> {
  const folder = await mkdtemp(join(tmpdir(), 'walle-journey-'))
  try {
    return await work(folder)
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** Manage.py of the server: `manage('shell', '-c', '...')`. */
export async function manage(...words: string[]): Promise<string> {
  const root = new URL('../../../', import.meta.url).pathname
  return (await promisify(execFile)(python, ['manage.py', ...words], { cwd: root })).stdout
}

/** Whether both say the same; for what a page shows and what is stored. */
export function same(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

/** Waits until `look` finds something; its text says what was waited for. */
export async function until<Found>(
  what: string,
  look: () => Promise<Found | null | undefined | false>,
  milliseconds = HANG_MS,
): Promise<Found> {
  const deadline = Date.now() + milliseconds
  for (;;) {
    const found = await look()
    if (found) return found
    if (Date.now() > deadline) throw new Error(`${what}: not within ${milliseconds / 1000} s`)
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}
