/** What the fleet's page shows of devices, and what PostgreSQL knows of them. */
import type { Page } from 'playwright-core'
import { sql } from './world'

type Devices = { known: number; online: number; with_tasks: number; kinds: Record<string, number> }

export async function shownDevices(page: Page): Promise<Devices> {
  const figure = async (name: string) => Number(await page.locator(`[data-figure=${name}]`).textContent())
  const kinds = await page
    .locator('[data-kind]')
    .evaluateAll((rows) => rows.map((row) => [(row as HTMLElement).dataset.kind, row.children[2]?.textContent]))
  return {
    known: await figure('known'),
    online: await figure('online'),
    with_tasks: await figure('with-tasks'),
    kinds: sorted(kinds.map(([kind = '', devices]) => [kind, Number(devices)])),
  }
}

export async function storedDevices(): Promise<Devices> {
  const devices = 'FROM devices_app_device d JOIN devices_app_app a ON a.id = d.app_id WHERE revoked_at IS NULL'
  const [all] = await sql<Omit<Devices, 'kinds'>>(
    `SELECT count(*)::int AS known, count(*) FILTER (WHERE last_seen >= now() - interval '2 minutes')::int AS online,
       count(*) FILTER (WHERE profile <> '{}')::int AS with_tasks ${devices}`,
  )
  const kinds = await sql<{ kind: string; devices: number }>(
    `SELECT a.slug || ' ' || (facts ->> 'app_version') AS kind, count(*)::int AS devices ${devices} GROUP BY 1
     UNION ALL
     SELECT (facts ->> 'os') || ' ' || (facts ->> 'os_version'), count(*)::int ${devices} GROUP BY 1`,
  )
  const { known, online, with_tasks } = all ?? { known: 0, online: 0, with_tasks: 0 }
  return { known, online, with_tasks, kinds: sorted(kinds.map(({ kind, devices }) => [kind, devices])) }
}

function sorted(kinds: [string, number][]): Record<string, number> {
  return Object.fromEntries(kinds.sort(([one], [other]) => (one < other ? -1 : 1)))
}
