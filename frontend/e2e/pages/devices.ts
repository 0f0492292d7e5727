import { sql } from '../support/world'
import type { PageCase } from '../support/pages'

async function someDevice(): Promise<string> {
  const [device] = await sql<{ app: string; name: string }>(
    'SELECT a.slug AS app, d.device AS name FROM devices_app_device d JOIN devices_app_app a ON a.id = d.app_id LIMIT 1',
  )
  return `/devices/${device?.app ?? ''}/${device?.name ?? ''}`
}

export const pages: PageCase[] = [
  {
    name: 'devices',
    path: '/devices?app=market',
    reads: /\/devices$/,
    table: true,
    ready: (page) => page.locator('[data-count]').and(page.locator('strong')).waitFor(),
  },
  {
    name: 'devices-rule',
    path: `/devices?app=market&where=performance%3Dhigh&rule=${encodeURIComponent('{"fact":"os","equals":"android"}')}`,
    ready: (page) => page.locator('[data-count]').waitFor(),
  },
  {
    name: 'devices-none',
    path: '/devices?app=market&q=nobody',
    ready: (page) => page.getByText('No device fits the filters').waitFor(),
  },
  {
    name: 'device',
    path: someDevice,
    reads: /\/devices\/[^/]+\/[^/]+$/,
    ready: async (page) => {
      await page.locator('tr[data-release]').first().waitFor()
      await page.locator('li[data-kind]').first().waitFor()
    },
  },
]
