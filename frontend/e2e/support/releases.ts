/** What journeys of releases have in common. */
import type { Page } from 'playwright-core'
import { api, sql, until, world } from './world'

/** The same files under another version: a task whose new version nobody else releases. */
export async function registerAgain(task: string, from: string, version: string): Promise<void> {
  const address = (name: string) => `${world.url}/api/v1/tasks/${task}/versions/${name}/archive`
  const headers = { Authorization: `Bearer ${world.token}`, 'Content-Type': 'application/gzip' }
  const archive = await (await fetch(`${address(from)}?samples=true`, { headers })).arrayBuffer()
  const answered = await fetch(address(version), { method: 'PUT', headers, body: archive })
  if (!answered.ok) throw new Error(`${task} ${version}: ${answered.status} ${await answered.text()}`)
}

const EVERYBODY = { fact: 'app_version', in: world.appVersions }

/** What is asked for a release; to all versions of the app unless said otherwise. */
export function request(task: string, version: string, strategy: object, rule: object = EVERYBODY) {
  return { app: world.app, task, version, rule, strategy }
}

export async function draft(...asked: Parameters<typeof request>): Promise<number> {
  return (await api<{ id: number }>('POST', 'releases', request(...asked))).id
}

/** The number of the release whose page is shown. */
export async function shownRelease(page: Page): Promise<number> {
  await page.waitForURL(/\/releases\/\d+$/)
  return Number(new URL(page.url()).pathname.split('/').at(-1))
}

/** A stage that is not left by itself. */
export const waiting = (percent: number) => ({ kind: 'gray', percent, dwell_s: 3600, evidence: 0 })

/** Half of the devices, and then nothing for an hour. */
export const HALF = {
  simulation: false,
  control_percent: 10,
  stages: [waiting(50), { kind: 'gray', percent: 100, dwell_s: 0, evidence: 0 }],
}

export async function move(release: number, action: string, reason = 'for this journey'): Promise<void> {
  await api('POST', `releases/${release}/${action}`, { reason })
}

type Standing = { state: string; position: number | null }

export async function standing(release: number): Promise<Standing | undefined> {
  const found = 'SELECT state, position::int FROM releases_app_release WHERE id = $1'
  return (await sql<Standing>(found, release))[0]
}

const COUNTS = ['drawn', 'offered', 'installed', 'healthy', 'failed', 'silent']

/** What became of the devices of each stage, "0: 3 3 3 3 0 0", by PostgreSQL. */
export async function countedStages(release: number): Promise<string[]> {
  const rows = await sql<{ counts: string }>(
    `SELECT concat_ws(' ', s.position || ':', count(e.device), count(e.offered_at), count(e.installed_at),
        count(*) FILTER (WHERE e.outcome = 'success'), count(*) FILTER (WHERE e.outcome = 'failure'),
        count(*) FILTER (WHERE e.silent)) AS counts
     FROM releases_app_stage s LEFT JOIN releases_app_exposure e ON e.stage = s.id AND e.arm = 'treatment'
     WHERE s.release_id = $1 AND s.entered_at IS NOT NULL GROUP BY s.position ORDER BY s.position`,
    release,
  )
  return rows.map(({ counts }) => counts)
}

/** The same as the page shows it. */
export async function shownStages(page: Page): Promise<string[]> {
  return page.locator('tr[data-stage]').evaluateAll(
    (rows, names) =>
      rows.flatMap((row) => {
        const counts = names.map((name) => row.querySelector(`[data-count="${name}"]`)?.textContent ?? '')
        const stage = row.getAttribute('data-stage') ?? ''
        return stage === 'all' || counts[0] === '–' ? [] : [`${stage}: ${counts.join(' ')}`]
      }),
    COUNTS,
  )
}

/** The numbers of the audit entries of a release, the newest first, by PostgreSQL. */
export async function auditedEntries(release: number): Promise<string[]> {
  const rows = await sql<{ id: string }>(
    `SELECT id::text FROM accounts_app_auditentry entry WHERE object_type = 'tasks_app.release' AND object_id = $1
     ORDER BY entry.id DESC`,
    String(release),
  )
  return rows.map(({ id }) => id)
}

/** The same as the page shows it. */
export async function shownEntries(page: Page): Promise<string[]> {
  return page.locator('tr[data-entry]').evaluateAll((rows) => rows.map((row) => row.getAttribute('data-entry') ?? ''))
}

/** Types the number that a dialog asks for, and confirms. */
export async function confirmNumber(page: Page, button: string): Promise<void> {
  const dialog = page.getByRole('dialog')
  const asked = dialog.getByLabel(/^Type the number of devices/)
  await asked.waitFor()
  await asked.fill((await dialog.locator('label code').textContent()) ?? '')
  await dialog.getByRole('button', { name: button }).click()
  await dialog.waitFor({ state: 'detached' })
}

/** Waits for the state that the page's head shows. */
export async function shows(page: Page, state: string): Promise<void> {
  await page.locator(`[data-release-state="${state}"]`).waitFor()
}

/** Waits for the first verdict of a release: it is news, after which whoever read it before has to decide again. */
export async function isJudged(release: number): Promise<void> {
  await until('the first verdict', async () => {
    return (await sql('SELECT 1 FROM releases_app_storedverdict WHERE release_id = $1', release)).length > 0
  })
}
