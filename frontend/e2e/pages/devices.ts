import { sql } from '../support/world'
import type { PageCase } from '../support/pages'

async function someDevice(): Promise<string> {
  const [device] = await sql<{ app: string; name: string }>(
    'SELECT a.slug AS app, d.device AS name FROM devices_app_device d JOIN devices_app_app a ON a.id = d.app_id LIMIT 1',
  )
  return `/devices/${device?.app ?? ''}/${device?.name ?? ''}`
}

export const pages: PageCase[] = [
  { name: 'devices', path: '/devices?app=market', table: true },
  { name: 'device', path: someDevice },
]
