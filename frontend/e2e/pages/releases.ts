import { sql } from '../support/world'
import type { PageCase } from '../support/pages'

async function newest(): Promise<string> {
  const [release] = await sql<{ id: number }>('SELECT max(id)::int AS id FROM tasks_app_release')
  return `/releases/${release?.id ?? 0}`
}

export const pages: PageCase[] = [
  { name: 'releases', path: '/releases', table: true },
  { name: 'release-new', path: '/releases/new' },
  { name: 'release', path: newest },
]
