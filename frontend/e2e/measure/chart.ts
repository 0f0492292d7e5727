/**
 * What live charts cost: the main thread's share while the fleet is told anew ten times a second, and while it is not.
 *
 * The server tells a gauge twice a second at most, so ten a second are made here: the server's own last value, at the
 * next moment and with rates that differ, put on the page's own socket.
 */
import type { Browser, CDPSession, Page, WebSocketRoute } from 'playwright-core'
import { visit, type Plan } from './visit.ts'
import { watchVitals } from './vitals.ts'

const RATE = 10
const PAGES = { usual: '/', longest: '/?span=48h' }

type Rates = { at: string; check_ins: number; offers: number; installs: number; failures: number }
type Gauge = { type: 'gauge'; topic: 'fleet'; value: { rates: Rates; devices: { online: number } } }
/** Shares of the time that passed, messages a second, and the sum of what shifted meanwhile. */
type Shares = { task: number; script: number; layout: number; style: number; messages: number; shift: number }

const METRICS = {
  task: 'TaskDuration',
  script: 'ScriptDuration',
  layout: 'LayoutDuration',
  style: 'RecalcStyleDuration',
}

export async function measureChart(browser: Browser, plan: Plan) {
  const told: Record<string, Shares> = {}
  for (const [name, path] of Object.entries(PAGES)) {
    const context = await visit(browser, plan)
    const page = await context.newPage()
    await page.addInitScript(watchVitals)
    const feed = await fed(page)
    await page.goto(path)
    await page.locator('canvas').nth(2).waitFor()
    await page.waitForTimeout(plan.settleSeconds * 1000)
    const session = await context.newCDPSession(page)
    await session.send('Performance.enable')
    if (name === 'usual') told.idle = { ...(await shares(page, session, plan.seconds)), messages: 0 }
    const stop = feed()
    await page.waitForTimeout(plan.settleSeconds * 1000)
    const shown = await shares(page, session, plan.seconds)
    told[name] = { ...shown, messages: stop() }
    await context.close()
  }
  return told
}

async function shares(page: Page, session: CDPSession, seconds: number) {
  const read = async () => {
    const { metrics } = await session.send('Performance.getMetrics')
    return new Map(metrics.map(({ name, value }) => [name, value]))
  }
  const shifted = () => page.evaluate(() => vitals.shift)
  const [before, shiftedBefore] = [await read(), await shifted()]
  await page.waitForTimeout(seconds * 1000)
  const [after, shiftedAfter] = [await read(), await shifted()]
  const passed = (name: string) => (after.get(name) ?? 0) - (before.get(name) ?? 0)
  const share = (name: string) => passed(name) / passed('Timestamp')
  return {
    task: share(METRICS.task),
    script: share(METRICS.script),
    layout: share(METRICS.layout),
    style: share(METRICS.style),
    shift: shiftedAfter - shiftedBefore,
  }
}

/** Starts to feed when called; what that returns ends it, and says how many messages a second there were. */
async function fed(page: Page): Promise<() => () => number> {
  let latest: Gauge | undefined
  let socket: WebSocketRoute | undefined
  await page.routeWebSocket(/\/live$/, (route) => {
    socket = route
    const server = route.connectToServer()
    server.onMessage((frame) => {
      latest = frame.toString().split('\n').map((line) => JSON.parse(line) as Gauge).find(isFleet) ?? latest // prettier-ignore
      route.send(frame)
    })
  })
  return () => {
    const began = Date.now()
    let sent = 0
    const timer = setInterval(() => {
      if (!latest || !socket) throw new Error('the server has told nothing of the fleet')
      socket.send(JSON.stringify(another(latest)))
      sent += 1
    }, 1000 / RATE)
    return () => {
      clearInterval(timer)
      return (sent * 1000) / (Date.now() - began)
    }
  }
}

function isFleet(message: { type: string; topic?: string }): boolean {
  return message.type === 'gauge' && message.topic === 'fleet'
}

function another({ value, ...rest }: Gauge): Gauge {
  const { devices, rates } = value
  const some = (most: number) => Math.round(Math.random() * most * 10) / 10
  const now = {
    at: new Date().toISOString(),
    check_ins: some(9000),
    offers: some(200),
    installs: some(200),
    failures: some(9),
  }
  const online = devices.online + Math.floor(Math.random() * 100)
  return { ...rest, value: { ...value, devices: { ...devices, online }, rates: { ...rates, ...now } } }
}
