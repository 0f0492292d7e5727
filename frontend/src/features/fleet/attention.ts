/** Concerns: their urgency, and where to look into them. */
import type { Schemas } from '@/api/schemas'
import type { Tone } from '@/lib/tone'

export type Concern = Schemas['Concern']
type Urgency = Concern['urgency']

export const URGENCIES: Record<Urgency, { word: string; tone: Tone }> = {
  now: { word: 'Now', tone: 'bad' },
  soon: { word: 'Soon', tone: 'attention' },
  later: { word: 'Later', tone: 'none' },
}

/** A page of the dashboard, or one of the admin. */
export type Place =
  | { page: 'release'; id: number }
  | { page: 'devices'; app: string }
  | { page: 'features' }
  | { page: 'pipeline'; name: string }
  | { page: 'serving' }
  | { page: 'admin'; path: string }

/** Returns the place to look into a concern. Concerns about everything are about jobs without a worker. */
export function placeOf({ kind, target }: Pick<Concern, 'kind' | 'target'>): Place {
  const [noun, name = ''] = target.split('/')
  if (noun === 'releases') return { page: 'release', id: Number(name) }
  if (noun === 'apps' && kind === 'table-old') return admin(`devices_app/publishedtable/?q=${name}`)
  if (noun === 'apps') return { page: 'devices', app: name }
  if (noun === 'webhooks') return admin(`webhooks_app/webhook/${name}/change/`)
  if (noun === 'pipelines') return { page: 'pipeline', name: target.slice('pipelines/'.length) }
  if (kind === 'host-lost') return { page: 'serving' }
  if (kind === 'features-unread') return { page: 'features' }
  return admin('jobs_app/job/')
}

function admin(path: string): Place {
  return { page: 'admin', path: `/admin/${path}` }
}

/** Returns those that nobody has acknowledged, and the others. */
export function byAcknowledgement<One extends Pick<Concern, 'acknowledged'>>(
  concerns: readonly One[],
): { open: One[]; acknowledged: One[] } {
  return {
    open: concerns.filter((each) => each.acknowledged === null),
    acknowledged: concerns.filter((each) => each.acknowledged !== null),
  }
}

/** The maximum number of concerns in the API's answer. */
const MOST = 50

/** "2 now, 1 later" */
export function summary(concerns: readonly Pick<Concern, 'urgency'>[]): string {
  const parts = (Object.keys(URGENCIES) as Urgency[])
    .map((urgency) => [concerns.filter((each) => each.urgency === urgency).length, urgency] as const)
    .filter(([count]) => count > 0)
    .map(([count, urgency]) => `${count} ${urgency}`)
    .join(', ')
  return concerns.length < MOST ? parts : `the first ${MOST}: ${parts}`
}
