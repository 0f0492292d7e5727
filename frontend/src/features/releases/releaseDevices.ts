/** The devices of a release: the search in the page's address, the query of the API, and the status of each device. */
import type { RequestParams, RowOf } from '@/api/reading'
import { capitalized } from '@/lib/format'
import { choice, text } from '@/lib/search'
import type { Tone } from '@/lib/tone'

export type ReleaseDevice = RowOf<'/api/v1/releases/{release}/devices'>
type ReleaseDevicesQuery = NonNullable<RequestParams<'/api/v1/releases/{release}/devices'>['query']>

/** The statuses of a device in a release, by the names that the API gives them. */
export const DEVICE_STATUSES = ['drawn', 'offered', 'installed', 'healthy', 'failed', 'silent', 'deferred'] as const
/** Those, and the status of devices on which the condition of a stream task has not occurred yet. */
export const STREAM_DEVICE_STATUSES = [...DEVICE_STATUSES, 'awaiting_trigger'] as const
/** The statuses that the callers of a pipeline have, which install nothing. */
export const CALLER_STATUSES = DEVICE_STATUSES.filter((status) => status !== 'deferred')
export type DeviceStatus = (typeof STREAM_DEVICE_STATUSES)[number]

/** The status in the words of the screen: the API calls selected devices drawn. */
export function statusTitle(status: DeviceStatus): string {
  if (status === 'awaiting_trigger') return 'Awaiting trigger'
  return status === 'drawn' ? 'Selected' : capitalized(status)
}

/** `stage` counts from 1; `error` is the class of a failure; without `arm`, the devices with the new version. */
export type ReleaseDevicesSearch = {
  became?: DeviceStatus | undefined
  stage?: string | undefined
  error?: string | undefined
  arm?: 'control' | undefined
}

export function readReleaseDevicesSearch(search: Record<string, unknown>): ReleaseDevicesSearch {
  const stage = text(search, 'stage')
  return {
    became: choice(search, 'became', STREAM_DEVICE_STATUSES),
    stage: stage !== undefined && /^[1-9]\d{0,2}$/.test(stage) ? stage : undefined,
    error: text(search, 'error'),
    arm: choice(search, 'arm', ['control']),
  }
}

export function queryOf({ became, stage, error, arm }: ReleaseDevicesSearch): ReleaseDevicesQuery {
  return {
    arm: arm ?? 'treatment',
    ...(became && { became }),
    ...(stage && { stage: Number(stage) - 1 }),
    ...(error && { error_class: error }),
  }
}

/** The status of one device, with its tone. */
export function statusOf(device: ReleaseDevice): { tone: Tone; word: string } {
  if (device.outcome === 'failure') return { tone: 'bad', word: 'Failed' }
  if (device.outcome === 'success') return { tone: 'ok', word: 'Healthy' }
  if (device.awaiting_trigger) return { tone: 'running', word: 'Awaiting trigger' }
  if (device.deferral) return { tone: 'running', word: 'Deferred' }
  if (device.silent) return { tone: 'attention', word: 'Silent' }
  if (device.installed_at) return { tone: 'running', word: 'Installed' }
  if (device.offered_at) return { tone: 'running', word: 'Offered' }
  return { tone: 'none', word: device.arm === 'control' ? 'Held back' : 'Selected' }
}
