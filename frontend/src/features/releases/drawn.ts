/** Devices of a release: what its page's address asks for, in the words of the API, and what became of each. */
import type { Asked, RowOf } from '@/api/reading'
import { choice, text } from '@/lib/search'
import type { Tone } from '@/lib/tone'

export type DrawnDevice = RowOf<'/api/v1/releases/{release}/devices'>
type DrawnAsked = NonNullable<Asked<'/api/v1/releases/{release}/devices'>['query']>

/** What may have become of a device, as the figures of a release count it. */
export const BECAME = ['drawn', 'offered', 'installed', 'healthy', 'failed', 'silent'] as const
export type Became = (typeof BECAME)[number]

/** `stage`: counted from 1, as people do. `error`: of a failure. Held back ones are looked at by themselves. */
export type DrawnSearch = {
  became?: Became | undefined
  stage?: string | undefined
  error?: string | undefined
  arm?: 'control' | undefined
}

export function readDrawnSearch(search: Record<string, unknown>): DrawnSearch {
  const stage = text(search, 'stage')
  return {
    became: choice(search, 'became', BECAME),
    stage: stage !== undefined && /^[1-9]\d{0,2}$/.test(stage) ? stage : undefined,
    error: text(search, 'error'),
    arm: choice(search, 'arm', ['control']),
  }
}

export function askedOf({ became, stage, error, arm }: DrawnSearch): DrawnAsked {
  return {
    arm: arm ?? 'treatment',
    ...(became && { became }),
    ...(stage && { stage: Number(stage) - 1 }),
    ...(error && { error_class: error }),
  }
}

/** How far a device has come, in a word. */
export function standingOf(device: DrawnDevice): { tone: Tone; word: string } {
  if (device.outcome === 'failure') return { tone: 'bad', word: 'Failed' }
  if (device.outcome === 'success') return { tone: 'ok', word: 'Healthy' }
  if (device.silent) return { tone: 'attention', word: 'Silent' }
  if (device.installed_at) return { tone: 'running', word: 'Installed' }
  if (device.offered_at) return { tone: 'running', word: 'Offered' }
  return { tone: 'none', word: device.arm === 'control' ? 'Held back' : 'Selected' }
}
