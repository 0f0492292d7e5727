/** What the measurements have in common: the plan, and somebody's visit with a browser of their own. */
import type { Browser, BrowserContext } from 'playwright-core'

export type Server = {
  url: string
  /** The cookie of somebody who is logged in. */
  session: string
}

export type Plan = Server & {
  /** A Walle without anything. */
  empty: Server
  chromium: string
  parts: ('rows' | 'chart' | 'scroll' | 'paint')[]
  /** How often each list is loaded. */
  rounds: number
  /** How often each page of each Walle is painted. */
  visits: number
  /** For how long a chart is watched. */
  seconds: number
  /** How long a chart rests before that. */
  settleSeconds: number
  /** So many rows are scrolled through. */
  depth: number
  /** For so many frames a wheel is turned. */
  frames: number
}

/** Nothing cached, and logged in. */
export async function visit(browser: Browser, { url, session }: Server): Promise<BrowserContext> {
  const context = await browser.newContext({ baseURL: url, viewport: { width: 1280, height: 800 } })
  await context.addCookies([{ name: 'sessionid', value: session, url }])
  return context
}
