import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { visitor } from '../support/browser'
import { shownDevices, storedDevices } from '../support/fleet'
import { eventsIn, heardSince } from '../support/live'
import { without } from '../support/outage'
import * as releases from '../support/releases'
import { manage, same, sql, until } from '../support/world'

const TASK = 'shop/recommend'
const VERSION = '1.13.0'
const TYPED = 'typed before it failed'
const UNHEARD = 'while the server was away'
let release = 0

beforeAll(async () => {
  await releases.registerAgain(TASK, '1.0.0', VERSION)
  release = await releases.draft(TASK, VERSION, { ...releases.HALF, stages: [50, 75, 100].map(releases.waiting) })
  await releases.move(release, 'start')
})

test('the web server is killed while pages are open: they say so, and go on when it is back', async () => {
  const before = await releases.auditedEntries(release)
  const { ofRelease, ofFleet, heard } = await openPages()
  await ofRelease.page.getByLabel('Reason of the next move').fill(TYPED)
  await without('web server', async () => {
    const moved = moveMeanwhile()
    for (const { page } of [ofRelease, ofFleet]) await tells(page, 'reconnecting', 'Reconnecting')
    await cannotPause(ofRelease.page, 'The server cannot be reached.', 2)
    expect(await alerts(ofFleet.page)).toEqual([])
    expect(await ofRelease.accessibilityFaults()).toEqual([])
    await ofRelease.picture('outage-web-server')
    await moved
  })
  await goOn(ofRelease.page, ofFleet.page)
  await ofRelease.page.getByRole('cell', { name: UNHEARD }).waitFor()
  await pause(ofRelease.page)
  await isAsInPostgres(ofRelease.page, ofFleet.page)
  expect(await heardSince(before, release, heard)).toHaveLength(2)
})

test('PostgreSQL is stopped while pages are open: they say so, and go on when it is back', async () => {
  await releases.move(release, 'resume')
  const before = await releases.auditedEntries(release)
  const { ofRelease, ofFleet, heard } = await openPages()
  await ofRelease.page.getByLabel('Reason of the next move').fill(TYPED)
  await without('PostgreSQL', async () => {
    for (const { page } of [ofRelease, ofFleet]) await tells(page, 'behind', 'The server cannot read its database.')
    await cannotPause(ofRelease.page, 'The database cannot be reached now')
    expect(await alerts(ofFleet.page)).toEqual([])
    expect(await ofRelease.accessibilityFaults()).toEqual([])
    await ofRelease.picture('outage-postgresql')
  })
  await goOn(ofRelease.page, ofFleet.page)
  await pause(ofRelease.page)
  await isAsInPostgres(ofRelease.page, ofFleet.page)
  expect(await heardSince(before, release, heard)).toHaveLength(1)
})

/** The pages of the release and of the fleet, which stay the same ones: none is loaded again. */
async function openPages() {
  const [ofRelease, ofFleet] = [await visitor(), await visitor()]
  const heard = eventsHeard(ofRelease.page)
  await ofRelease.page.goto(`/releases/${release}`)
  await releases.shows(ofRelease.page, 'running')
  await ofFleet.page.goto('/')
  await ofFleet.page.locator('[data-figure=online]').waitFor()
  for (const someone of [ofRelease, ofFleet]) {
    await someone.page.locator('[data-live="live"]').waitFor()
    await someone.page.evaluate(() => Object.assign(window, { isTheSame: true }))
    someone.expectsComplaint(/ERR_CONNECTION_(REFUSED|RESET)|ERR_EMPTY_RESPONSE|ERR_CONTENT_LENGTH_MISMATCH|503/)
  }
  return { ofRelease, ofFleet, heard }
}

/** The numbers of the entries of the release that come through the page's sockets. */
function eventsHeard(page: Page): string[] {
  const heard: string[] = []
  page.on('websocket', (socket) => {
    socket.on('framereceived', ({ payload }) => {
      heard.push(...eventsIn(payload, `release/${release}`))
    })
  })
  return heard
}

/** A move that no page can be told of. */
async function moveMeanwhile(): Promise<void> {
  await manage(
    'shell',
    '-c',
    `
from django.utils import timezone
from accounts_app.actors import SYSTEM
from releases_app.models import Release
from releases_app.services.releases import act
from walle.release.states import ReleaseAction
release = Release.objects.get(pk=${release})
act(release=release, action=ReleaseAction.PROMOTE, actor=SYSTEM, now=timezone.now(), reason="${UNHEARD}")`,
  )
}

async function tells(page: Page, state: string, words: string): Promise<void> {
  const told = page.locator(`[data-live="${state}"]`)
  await told.getByText(words).waitFor()
  await told.getByText(/Data from \d\d:\d\d\./).waitFor()
}

async function alerts(page: Page): Promise<string[]> {
  return page.getByRole('alert').allTextContents()
}

/** A click on Pause is refused, said once, and leaves all as it was, the typed reason too. */
async function cannotPause(page: Page, why: string, clicks = 1): Promise<void> {
  for (let click = 0; click < clicks; click++) {
    const asked = page.waitForRequest('**/pause')
    await page.getByRole('button', { name: 'Pause', exact: true }).click()
    await asked
    await releases.shows(page, 'running')
  }
  const told = await alerts(page)
  expect(told).toHaveLength(1)
  expect(told[0]).toContain(`Pause failed: ${why}`)
  expect(await page.getByLabel('Reason of the next move').inputValue()).toBe(TYPED)
}

async function goOn(...pages: Page[]): Promise<void> {
  for (const page of pages) {
    await page.locator('[data-live="live"]').waitFor()
    expect(await page.evaluate(() => 'isTheSame' in window)).toBe(true)
  }
}

/** With what is still typed, now that it is possible; the click from before was never sent later. */
async function pause(page: Page): Promise<void> {
  expect((await releases.standing(release))?.state).toBe('running')
  await releases.shows(page, 'running')
  await page.getByRole('button', { name: 'Pause', exact: true }).click()
  // The page shows it at once, before the server has answered.
  await releases.shows(page, 'paused')
  const newest = 'SELECT action, reason FROM releases_app_transition WHERE release_id = $1 ORDER BY id DESC LIMIT 1'
  await until('the pause with its reason in PostgreSQL', async () => {
    return same(await sql(newest, release), [{ action: 'pause', reason: TYPED }])
  })
}

async function isAsInPostgres(ofRelease: Page, ofFleet: Page): Promise<void> {
  await until('the trail as in PostgreSQL', async () => {
    return same(await releases.shownEntries(ofRelease), await releases.auditedEntries(release))
  })
  await until('devices of the release as PostgreSQL counts them', async () => {
    return same(await releases.shownStages(ofRelease), await releases.countedStages(release))
  })
  await until('the fleet as in PostgreSQL', async () => {
    const [shown, stored] = await Promise.all([shownDevices(ofFleet), storedDevices()])
    return same(shown, stored)
  })
}
