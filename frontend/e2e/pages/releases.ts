import type { Page } from 'playwright-core'
import { sql } from '../support/world'
import type { PageCase } from '../support/pages'

async function newest(): Promise<string> {
  const [release] = await sql<{ id: number }>('SELECT max(id)::int AS id FROM releases_app_release')
  return `/releases/${release?.id ?? 0}`
}

/** One that has met devices. */
async function complete(): Promise<string> {
  const [release] = await sql<{ id: number }>(
    "SELECT max(id)::int AS id FROM releases_app_release WHERE state = 'complete'",
  )
  return `/releases/${release?.id ?? 0}`
}

const panels = (page: Page) => page.getByRole('heading', { name: 'Audit trail' }).waitFor()
const charts = (page: Page) => page.locator('canvas').nth(1).waitFor()

export const pages: PageCase[] = [
  {
    name: 'releases',
    path: '/releases',
    reads: /\/releases$/,
    table: true,
    ready: (page) => page.getByRole('row').nth(1).waitFor(),
  },
  { name: 'release-new', path: '/releases/new' },
  { name: 'release', path: newest, reads: /\/releases\/\d+$/, ready: panels },
  {
    name: 'release-devices',
    path: async () => `${await complete()}/devices`,
    table: true,
    // Where no other journey has been before, releases were complete before there were devices.
    ready: (page) => page.getByRole('row').nth(1).or(page.getByText('No device is known')).waitFor(),
  },
  { name: 'release-complete', path: complete, ready: charts, table: true },
]
