/** Converts between the values of `datetime-local` fields, in the zone of the person, and the API's timestamps. */
import { zoned } from '@/lib/time'

const swedish = zoned('sv-SE', { dateStyle: 'short', timeStyle: 'short' })

/** Returns "2026-05-01T14:30", or '' if it is no timestamp. */
export function toField(moment: string | undefined): string {
  const at = Date.parse(moment ?? '')
  return Number.isNaN(at) ? '' : swedish(at).replace(' ', 'T')
}

/** Returns "2026-05-01T14:30:00Z"; undefined if it is missing or incomplete, as while a year is typed. */
export function fromField(field: string): string | undefined {
  const asUtc = Date.parse(`${field}Z`)
  if (!(asUtc > 0)) return undefined
  // How far the zone is ahead may differ between the two moments: the second look is at the right one.
  const near = asUtc - ahead(asUtc)
  return new Date(asUtc - ahead(near)).toISOString().replace('.000Z', 'Z')
}

/** Returns by how many milliseconds the zone's clock is ahead of UTC. */
function ahead(at: number): number {
  return Date.parse(`${swedish(at).replace(' ', 'T')}Z`) - Math.floor(at / MINUTE_MS) * MINUTE_MS
}

const MINUTE_MS = 60_000
