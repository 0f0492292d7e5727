/** A real Chromium, and people who sit before it. */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import axe from 'axe-core/axe.min.js?raw'
import type { Browser, BrowserContext, Cookie, Page } from 'playwright-core'
import { expect } from 'vitest'
import { launch } from './chromium'
import { HANG_MS, world } from './world'

export type Theme = 'light' | 'dark'
type Options = {
  theme?: Theme
  width?: number
  height?: number
  /** 'anew': in a session of their own, which may be ended; otherwise all journeys share one. */
  loggedIn?: boolean | 'anew'
}

/** So many characters of what a page shows. */
const MOST_PRINTED = 5000
const ARTIFACTS = fileURLToPath(new URL('../artifacts/', import.meta.url))

/** One for all journeys; it ends with their process. */
let browser: Browser | undefined
/** Contexts that no test uses now; what they have loaded and compiled, the next page need not load. */
const idle: { theme: Theme; context: BrowserContext }[] = []
const visitors = new Set<Visitor>()

/** Prints what each page shows now: of a journey that failed, what came instead of what was waited for. */
export async function printPages(): Promise<void> {
  for (const { page } of visitors) {
    const shown = await page.locator('body').innerText({ timeout: 10_000 }).catch(String)
    console.log(`${page.url()} showed:\n${shown.slice(0, MOST_PRINTED)}`)
  }
}

/** Ends what a test did in the browser, and checks that the browser complained of nothing. */
export async function everybodyLeaves(): Promise<void> {
  // Also of a journey that failed: what the browser complained of may be why.
  const all = [...visitors]
  visitors.clear()
  for (const { page, theme } of all) idle.push({ theme, context: await emptied(page.context()) })
  for (const visitor of all) visitor.complainsOfNothing()
}

/** Somebody with a browser of their own, logged in unless said otherwise, on no page yet. */
export async function visitor(options: Options = {}): Promise<Visitor> {
  const { theme = 'light', width = 1280, height = 800, loggedIn = true } = options
  const someone = new Visitor(await (await contextFor(theme)).newPage(), theme)
  visitors.add(someone)
  await someone.page.setViewportSize({ width, height })
  if (loggedIn === 'anew') await someone.logIn()
  else if (loggedIn) await someone.shareSession()
  return someone
}

async function contextFor(theme: Theme): Promise<BrowserContext> {
  const index = idle.findIndex((each) => each.theme === theme)
  const [found] = index < 0 ? [] : idle.splice(index, 1)
  if (found) return found.context
  browser ??= await launch(process.env.WALLE_E2E_CHROMIUM)
  const context = await browser.newContext({
    baseURL: world.url,
    colorScheme: theme,
    reducedMotion: 'reduce',
    permissions: ['clipboard-read', 'clipboard-write'],
    locale: 'en-GB',
    timezoneId: 'UTC',
  })
  context.setDefaultTimeout(HANG_MS)
  return context
}

/** Without pages, cookies and stored choices: only the cache of files is kept. */
async function emptied(context: BrowserContext): Promise<BrowserContext> {
  // First of all the pages: with the session gone, what they still ask for would be refused.
  // Storage is cleared in one that is there: another would be a process more.
  const [last = await context.newPage(), ...others] = context.pages()
  for (const page of others) await page.close()
  const devtools = await context.newCDPSession(last)
  await devtools.send('Storage.clearDataForOrigin', { origin: world.url, storageTypes: 'local_storage' })
  await last.close()
  await context.setOffline(false)
  await context.clearCookies()
  return context
}

/** One person's page, and what the browser complained of meanwhile. */
export class Visitor {
  private readonly complaints: string[] = []
  private readonly expected: RegExp[] = []

  constructor(
    readonly page: Page,
    readonly theme: Theme,
  ) {
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
      timeout: HANG_MS,
    })
    expect(answered.status()).toBe(200)
  }

  /** Goes on in the session of all journeys, which begins with the first of them. */
  async shareSession(): Promise<void> {
    const kept = await readFile(world.session, 'utf8').catch(() => '')
    if (kept) return this.page.context().addCookies(JSON.parse(kept) as Cookie[])
    await this.logIn()
    await writeFile(world.session, JSON.stringify(await this.page.context().cookies()))
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
    if (!(await this.page.evaluate(() => 'axe' in window))) await this.page.evaluate(axe)
    const found = await this.page.evaluate(async () => {
      const { axe: checker } = window as unknown as { axe: typeof import('axe-core') }
      return (await checker.run(document, { resultTypes: ['violations'] })).violations
    })
    return found.map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ html }) => html).join(' ')}`)
  }

  /** Waits until all is drawn, in the colours that it will have. */
  async settled(): Promise<void> {
    await this.page.evaluate(async () => {
      await document.fonts.ready
      const transitions = document.getAnimations().filter((each) => each instanceof CSSTransition)
      await Promise.allSettled(transitions.map((each) => each.finished))
      // Charts follow a change of the window's size in the frame after it.
      await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))
    })
  }

  /** Keeps a picture below e2e/artifacts; in CI, where nobody looks at them, none. */
  async picture(name: string): Promise<void> {
    await this.settled()
    if (process.env.CI) return
    await mkdir(ARTIFACTS, { recursive: true })
    await this.page.screenshot({ path: `${ARTIFACTS}${name}.png`, animations: 'disabled' })
  }
}
