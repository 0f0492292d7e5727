/** A real Chromium, and people who sit before it. */
import { mkdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import axe from 'axe-core'
import type { Browser, Cookie, Page } from 'playwright-core'
import { afterAll, afterEach, expect } from 'vitest'
import { launch } from './chromium'
import { world } from './world'

export type Theme = 'light' | 'dark'
type Options = {
  theme?: Theme
  width?: number
  height?: number
  /** 'anew': in a session of their own, which may be ended; otherwise all of a file share one. */
  loggedIn?: boolean | 'anew'
}

const ARTIFACTS = fileURLToPath(new URL('../artifacts/', import.meta.url))

let browser: Browser | undefined
let shared: Cookie[] | undefined
const visitors = new Set<Visitor>()

afterEach(async () => {
  // Also of a journey that failed: what the browser complained of may be why.
  const all = [...visitors]
  visitors.clear()
  for (const visitor of all) await visitor.page.context().close()
  for (const visitor of all) visitor.complainsOfNothing()
})

afterAll(async () => {
  await browser?.close()
  browser = undefined
})

/** Somebody with a browser of their own, logged in unless said otherwise, on no page yet. */
export async function visitor(options: Options = {}): Promise<Visitor> {
  const { theme = 'light', width = 1280, height = 800, loggedIn = true } = options
  browser ??= await launch(process.env.WALLE_E2E_CHROMIUM)
  const context = await browser.newContext({
    baseURL: world.url,
    colorScheme: theme,
    viewport: { width, height },
    reducedMotion: 'reduce',
    permissions: ['clipboard-read', 'clipboard-write'],
    locale: 'en-GB',
    timezoneId: 'UTC',
  })
  context.setDefaultTimeout(30_000)
  if (loggedIn === true && shared) await context.addCookies(shared)
  const someone = new Visitor(await context.newPage())
  visitors.add(someone)
  if (loggedIn === 'anew' || (loggedIn && !shared)) await someone.logIn()
  if (loggedIn === true) shared ??= await context.cookies()
  return someone
}

/** One person's page, and what the browser complained of meanwhile. */
export class Visitor {
  private readonly complaints: string[] = []
  private readonly expected: RegExp[] = []

  constructor(readonly page: Page) {
    page.on('console', (message) => {
      // Violations of the content security policy are errors, too.
      if (message.type() === 'error') this.complaints.push(`${message.text()} (${message.location().url})`)
    })
    page.on('pageerror', (error) => this.complaints.push(`uncaught: ${error.message}`))
  }

  /** Logs in without the login page: what it does is journey 1's. */
  async logIn(username = world.user, password = world.password): Promise<void> {
    const { request } = this.page.context()
    await request.get('/api/v1/session')
    const answered = await request.post('/api/v1/session', {
      data: { username, password },
      headers: { 'X-CSRFToken': await this.cookie('csrftoken') },
      // Passwords are hashed slowly on purpose, and the fleet is busy meanwhile.
      timeout: 60_000,
    })
    expect(answered.status()).toBe(200)
  }

  /** A writing in their session, as their page would send it; raises unless it was done. */
  async writes<Body>(method: string, path: string, body: object = {}): Promise<Body> {
    const { request } = this.page.context()
    const headers = { 'X-CSRFToken': await this.cookie('csrftoken') }
    const answered = await request.fetch(`/api/v1/${path}`, { method, data: body, headers })
    if (!answered.ok()) throw new Error(`${method} ${path}: ${answered.status()} ${await answered.text()}`)
    return (await answered.json()) as Body
  }

  /** The value of a cookie, '' where there is none. */
  async cookie(name: string): Promise<string> {
    const cookies = await this.page.context().cookies()
    return cookies.find((cookie) => cookie.name === name)?.value ?? ''
  }

  /** What the browser will rightly complain of, such as a refused request. */
  expectsComplaint(pattern: RegExp): void {
    this.expected.push(pattern)
  }

  /** No error in the console, no violation of the content security policy, no exception; checked after each test. */
  complainsOfNothing(): void {
    const unexpected = this.complaints.filter((text) => !this.expected.some((pattern) => pattern.test(text)))
    expect(unexpected, 'what the browser complained of').toEqual([])
  }

  /** What axe finds wrong with the page as it is now; empty when all is well. */
  async accessibilityFaults(): Promise<string[]> {
    await this.page.evaluate(axe.source)
    const found = await this.page.evaluate(async () => {
      const { axe: checker } = window as unknown as { axe: typeof import('axe-core') }
      return (await checker.run(document, { resultTypes: ['violations'] })).violations
    })
    return found.map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ html }) => html).join(' ')}`)
  }

  /** Keeps a picture below e2e/artifacts. */
  async picture(name: string): Promise<void> {
    await mkdir(ARTIFACTS, { recursive: true })
    await this.page.evaluate(() => document.fonts.ready)
    // Charts follow a change of the window's size in the frame after it.
    await this.page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))))
    await this.page.screenshot({ path: `${ARTIFACTS}${name}.png`, animations: 'disabled' })
  }
}
