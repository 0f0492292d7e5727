import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { visitor } from '../support/browser'
import * as releases from '../support/releases'
import { api, sql, world } from '../support/world'

const SCRIPTS = [
  '<img src=x onerror="window.hacked=1">',
  '<script>window.hacked=2</script>',
  '"><svg onload=window.hacked=3>',
  'javascript:window.hacked=4',
  '{{constructor.constructor("window.hacked=5")()}}',
].join(' ')
/** Turns what follows around, where it is not kept apart. */
const TURNED = '\u202Egnissim si gnihton\u202D שלום مرحبا'
const WIDE = `${'🦤👩🏽‍🚀'.repeat(20)} ${'W'.repeat(400)}`
const HOSTILE = `${SCRIPTS} ${TURNED} ${WIDE}`
const TASK = 'camera/digits'
const VERSION = '1.9.0'
const DEVICE = 'hostile-device'
let release = 0

beforeAll(async () => {
  await releases.registerAgain(TASK, '1.0.0', VERSION)
  await sql(`
    ALTER TABLE tasks_app_taskversion DISABLE TRIGGER version_is_immutable;
    UPDATE tasks_app_taskversion SET message = $hostile$${HOSTILE}$hostile$,
      author_name = $hostile$${HOSTILE.slice(0, 200)}$hostile$, author_email = 'a@b.example'
    WHERE version = '${VERSION}' AND task_id = (SELECT id FROM tasks_app_task WHERE slug = 'digits');
    ALTER TABLE tasks_app_taskversion ENABLE TRIGGER version_is_immutable;`)
  await api('PATCH', 'scenarios/camera', { description: HOSTILE.slice(0, 500) })
  await sql(
    `INSERT INTO devices_app_device (app_id, device, claims, facts, trusted, profile, first_seen, last_seen)
     SELECT app_id, $1, claims, facts || $2::jsonb, $2::jsonb, profile, now(), now() FROM devices_app_device LIMIT 1`,
    DEVICE,
    JSON.stringify({ os: HOSTILE.slice(0, 60), model: HOSTILE, '<b>fact</b>': SCRIPTS }),
  )
  release = await releases.draft(TASK, VERSION, releases.HALF)
  await releases.move(release, 'start', HOSTILE)
  await releases.move(release, 'pause', HOSTILE)
})

const PLACES = [
  '/',
  '/tasks',
  '/tasks?scenario=camera',
  `/tasks/${TASK}?version=${VERSION}`,
  `/tasks/${TASK}/diff?from=1.0.0&to=${VERSION}`,
  '/releases',
  'the release',
  `/releases/new?app=${world.app}&scenario=camera&task=digits&version=${VERSION}`,
  `/devices?app=${world.app}&q=hostile`,
  `/devices/${world.app}/${DEVICE}`,
  `/devices?app=${world.app}&q=${encodeURIComponent(SCRIPTS)}`,
  `/tasks?q=${encodeURIComponent(HOSTILE)}`,
]

test.each(PLACES)('text is only ever text on %s', async (place) => {
  const someone = await visitor()
  // What is no beginning of a device's id is refused, where it was asked for; and the image below is not there.
  someone.expectsComplaint(/400|404.*\/x\)/)
  const { page } = someone
  await page.goto(place === 'the release' ? `/releases/${release}` : place)
  await page.locator('main h1').waitFor()
  await page.locator('[data-live="live"]').waitFor()
  await page.waitForLoadState('networkidle')
  // One more image that is not there has failed: so have all that came before.
  await page.evaluate(() => new Promise((failed) => Object.assign(new Image(), { onerror: failed, src: '/x' })))
  expect(await page.evaluate(() => (window as unknown as { hacked?: number }).hacked)).toBeUndefined()
  expect(await page.locator('main img, main script, main svg[onload], main [href^="javascript:" i]').count()).toBe(0)
  for (const width of [1280, 768]) {
    await page.setViewportSize({ width, height: 800 })
    const sideways = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
    expect(sideways, `what sticks out at ${width}`).toBeLessThanOrEqual(0)
  }
  await page.setViewportSize({ width: 1280, height: 800 })
  await someone.picture(`hostile-${PLACES.indexOf(place)}`)
})

test('what a person writes comes back as they wrote it', async () => {
  const { page } = await visitor()
  await page.goto(`/releases/${release}`)
  await releases.shows(page, 'paused')
  const said = await page.getByRole('alert').filter({ hasText: 'Paused.' }).textContent()
  expect(said).toContain(SCRIPTS)
  const reasons = await sql<{ reason: string }>(
    "SELECT reason FROM releases_app_transition WHERE release_id = $1 AND action = 'pause'",
    release,
  )
  expect(reasons.map(({ reason }) => reason)).toEqual([HOSTILE])
})

test('the policy stops what gets out without it', async () => {
  const someone = await visitor()
  const { page } = someone
  someone.expectsComplaint(/Content Security Policy|Refused to|ERR_|Failed to load resource|blocked by CORS/i)
  const dashboard = await fetch(`${world.url}/tasks`)
  const [html, policy] = [await dashboard.text(), dashboard.headers.get('content-security-policy') ?? '']
  expect(policy).toContain("default-src 'none'")
  const elsewhere = await serving({}, '')
  const guarded = await serving({ 'Content-Security-Policy': policy }, html)
  const bare = await serving({}, html)
  try {
    for (const place of [`${world.url}/tasks`, guarded.address]) {
      await page.goto(place)
      expect(await attacked(page, elsewhere.address), place).toEqual({ hacked: false, sent: false })
      expect(elsewhere.asked, place).toEqual([])
    }
    await page.goto(bare.address)
    expect(await attacked(page, elsewhere.address)).toEqual({ hacked: true, sent: true })
    expect(elsewhere.asked).toEqual(['/fetched', '/image', '/script'])
  } finally {
    for (const server of [elsewhere, guarded, bare]) await server.close()
  }
})

/** Whether scripts that get into the page run, and whether it can send something to another origin. */
async function attacked(page: Page, elsewhere: string): Promise<{ hacked: boolean; sent: boolean }> {
  return page.evaluate(async (address) => {
    const host = document.createElement('div')
    host.innerHTML = '<img src="data:," onerror="window.hacked=1"><a href="javascript:window.hacked=2">x</a>'
    document.body.append(host)
    host.querySelector('a')?.click()
    const script = document.createElement('script')
    script.textContent = 'window.hacked=3'
    document.body.append(script)
    const sent = await fetch(`${address}fetched`, { mode: 'no-cors' }).then(
      () => true,
      () => false,
    )
    for (const name of ['image', 'script'] as const) {
      const loaded = name === 'image' ? new Image() : document.createElement('script')
      const settled = new Promise((done) => Object.assign(loaded, { onload: done, onerror: done }))
      loaded.src = address + name
      document.body.append(loaded)
      await settled
    }
    return { hacked: 'hacked' in window, sent }
  }, elsewhere)
}

/** An origin of its own on this machine: one page, and a note of everything that it is asked for. */
async function serving(headers: Record<string, string>, html: string) {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(request.url ?? '')
    if (request.url === '/') response.writeHead(200, { 'Content-Type': 'text/html', ...headers }).end(html)
    else response.writeHead(404).end()
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  const { port } = server.address() as AddressInfo
  const close = () =>
    new Promise((done) => {
      server.close(done)
      server.closeAllConnections()
    })
  return { asked, address: `http://127.0.0.1:${port}/`, close }
}
