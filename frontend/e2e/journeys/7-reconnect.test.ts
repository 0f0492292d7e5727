import type { Page, WebSocketRoute } from 'playwright-core'
import { expect, test } from 'vitest'
import { visitor } from '../support/browser'
import { eventsIn, heardSince } from '../support/live'
import * as releases from '../support/releases'
import { same, until } from '../support/world'

const TASK = 'shop/recommend'
const VERSION = '1.7.0'

/** The page's connection to the real server, which can be cut; notes the events of a topic that came through. */
class Wire {
  readonly events: string[] = []
  private sockets: WebSocketRoute[] = []
  private isLossy = false
  private isDown = false
  private isClosed = false

  constructor(private readonly topic: string) {}

  async lay(page: Page): Promise<void> {
    await page.routeWebSocket('**/live', (client) => {
      if (this.isDown || this.isClosed) {
        void client.close({ code: 1012 })
        return
      }
      const server = client.connectToServer()
      this.sockets.push(client, server)
      server.onMessage((frame) => {
        if (this.isLossy || this.isDown) return
        this.events.push(...eventsIn(frame, this.topic))
        client.send(frame)
      })
    })
  }

  /** From now on nothing arrives any more that the server sends. */
  lose(): void {
    this.isLossy = true
  }

  /** From now on nobody can connect; whoever has stays connected. */
  close(): void {
    this.isClosed = true
  }

  async kill(): Promise<void> {
    this.isDown = true
    const sockets = this.sockets.splice(0)
    for (const socket of sockets) await socket.close({ code: 1012 })
  }

  mend(): void {
    this.isDown = false
    this.isLossy = false
    this.isClosed = false
  }
}

test('a killed socket is told of, and goes on without gaps or duplicates', async () => {
  await releases.registerAgain(TASK, '1.0.0', VERSION)
  const release = await releases.draft(TASK, VERSION, releases.HALF)
  const before = await releases.auditedEntries(release)
  const someone = await visitor()
  const { page } = someone
  const wire = new Wire(`release/${release}`)
  await wire.lay(page)
  await page.goto(`/releases/${release}`)
  await releases.shows(page, 'draft')
  await page.locator('[data-live="live"]').waitFor()

  await releases.move(release, 'start', 'seen at once')
  await page.getByRole('cell', { name: 'seen at once' }).waitFor()
  wire.lose()
  await releases.move(release, 'pause', 'sent, and never arrived')
  await wire.kill()
  await page.locator('[data-live="reconnecting"]').getByText('Reconnecting').waitFor()
  expect(await someone.accessibilityFaults()).toEqual([])
  await releases.move(release, 'resume', 'while nobody listened')
  expect(await page.getByRole('cell', { name: 'while nobody listened' }).count()).toBe(0)
  await someone.picture('release-reconnecting-light-1280')

  wire.mend()
  await page.locator('[data-live="live"]').waitFor()
  await releases.move(release, 'pause', 'after it was back')
  await page.getByRole('cell', { name: 'after it was back' }).waitFor()
  await releases.shows(page, 'paused')

  const entries = await releases.auditedEntries(release)
  await until('the trail as in PostgreSQL', async () => same(await releases.shownEntries(page), entries))
  expect(await heardSince(before, release, wire.events)).toHaveLength(4)
  expect(await releases.standing(release)).toEqual({ state: 'paused', position: 0 })
  await until('devices as PostgreSQL counts them', async () => {
    return same(await releases.shownStages(page), await releases.countedStages(release))
  })
})

test('without a network the page says so at once, and with one it is live at once', async () => {
  const someone = await visitor()
  const { page } = someone
  someone.expectsComplaint(/ERR_INTERNET_DISCONNECTED/)
  const wire = new Wire('releases')
  await wire.lay(page)
  await page.goto('/releases')
  await page.locator('[data-live="live"]').waitFor()
  // The browser leaves the socket as it is, and the server goes on to speak: no silence can be noticed.
  wire.close()
  await page.context().setOffline(true)
  await page.locator('[data-live="reconnecting"]').waitFor()
  await page
    .locator('[data-live="reconnecting"]')
    .getByText(/in [5-9] s/)
    .waitFor()
  await page.evaluate(noteCountdowns)
  wire.mend()
  await page.context().setOffline(false)
  await page.locator('[data-live="live"]').waitFor()
  const countdowns = await page.evaluate(() => (window as unknown as { countdowns: number[] }).countdowns)
  expect(countdowns.at(-1), 'seconds that were left until the next attempt').toBeGreaterThan(1)
})

/** In the page: the seconds until the next attempt, each time that they are shown anew. */
function noteCountdowns(): void {
  const state = document.querySelector('[data-live]')
  const countdowns: number[] = []
  const note = () => {
    const seconds = / in (\d+) s/.exec(state?.textContent ?? '')?.[1]
    if (seconds) countdowns.push(Number(seconds))
  }
  note()
  if (state) new MutationObserver(note).observe(state, { subtree: true, childList: true, characterData: true })
  Object.assign(window, { countdowns })
}
