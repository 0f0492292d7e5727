/** The history of a device, in words. */
import type { RowOf } from '@/api/reading'
import { duration } from '@/lib/time'
import type { Tone } from '@/lib/tone'
import { asText } from '@/lib/json'

export type TimelineEntry = RowOf<'/api/v1/devices/{app}/{device}/timeline'>
type Kind = TimelineEntry['kind']
type KindLabel = { word: string; tone: Tone }

const LABELS: Record<Kind, KindLabel> = {
  registered: { word: 'First check-in', tone: 'running' },
  'checked-in': { word: 'Last check-in', tone: 'none' },
  offered: { word: 'Offered', tone: 'running' },
  'held-back': { word: 'Held back', tone: 'none' },
  drawn: { word: 'Selected', tone: 'none' },
  installed: { word: 'Installed', tone: 'ok' },
  'install-failed': { word: 'Install failed', tone: 'bad' },
  ran: { word: 'Ran', tone: 'ok' },
  'run-failed': { word: 'Run failed', tone: 'bad' },
  removed: { word: 'Removed', tone: 'attention' },
  'remove-failed': { word: 'Removal failed', tone: 'bad' },
  revoked: { word: 'Revoked', tone: 'bad' },
  reinstated: { word: 'Reinstated', tone: 'ok' },
}

export function labelOf(kind: Kind): KindLabel {
  return LABELS[kind]
}

/** Returns further details of an event, in at most a sentence. */
export function detailText({ kind, details }: TimelineEntry): string {
  const known = (name: string) => asText(details[name])
  switch (kind) {
    case 'checked-in':
      return known('app_version') && `app ${known('app_version')}`
    case 'offered':
    case 'held-back':
    case 'drawn':
      return joined([kind === 'held-back' && 'as control', known('outcome') && `outcome: ${known('outcome')}`])
    case 'revoked':
    case 'reinstated':
      return known('actor') && `by ${known('actor')}`
    case 'registered':
      return ''
    default:
      return joined([
        took(details.duration_ms),
        [known('error_class'), known('message')].filter(Boolean).join(': '),
        details.evidence === false && 'not counted in verdicts',
      ])
  }
}

function took(milliseconds: unknown): string {
  if (typeof milliseconds !== 'number') return ''
  if (milliseconds < 1_000) return `${Math.round(milliseconds)} ms`
  return milliseconds < 10_000 ? `${(milliseconds / 1_000).toFixed(1)} s` : duration(milliseconds / 1_000)
}

function joined(parts: (string | false)[]): string {
  return parts.filter((part) => part !== false && part !== '').join(' · ')
}
