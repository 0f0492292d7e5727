/** The audit trail of a release: entries from REST, and live ones since. */
import type { AuditEntry } from '@/api/schemas'
import { capitalized } from '@/lib/format'
import { asText, valueText } from '@/lib/json'
import type { ReleaseEvent } from '@/live/messages'

export type Entry = Pick<AuditEntry, 'id' | 'at' | 'actor' | 'action' | 'before' | 'after'>

/** Merges entries without duplicates, newest first. */
export function mergeEntries(read: readonly AuditEntry[], live: readonly ReleaseEvent[]): Entry[] {
  const entries = new Map<number, Entry>()
  for (const entry of [...read, ...live]) entries.set(entry.id, entry)
  return [...entries.values()].sort((one, other) => other.id - one.id)
}

/** Returns an action such as "release.roll-back" in words. */
export function actionName(action: string): string {
  return capitalized(action.replace(/^release\./, '').replaceAll('-', ' '))
}

/** Describes a change: "running → paused", "stage 1 → 2"; other facts by name. */
export function changeOf({ before: old, after }: Entry): string {
  const changes = Object.entries(after ?? {}).flatMap(([name, to]) => {
    const from = old?.[name]
    if (name === 'reason' || to === null || JSON.stringify(from) === JSON.stringify(to)) return []
    const before = from === undefined || from === null ? '' : `${shown(name, from)} → `
    return [`${NAMES[name] ?? `${name} `}${before}${shown(name, to)}`]
  })
  return changes.join(', ')
}

const NAMES: Record<string, string> = { state: '', position: 'stage ', skipped: 'skipped stage ' }

export function reasonOf({ after }: Entry): string {
  return asText(after?.reason)
}

/** Formats a value; stages are counted from 1 for people. */
function shown(name: string, value: unknown): string {
  if (name === 'position' && typeof value === 'number') return String(value + 1)
  if (name === 'skipped' && Array.isArray(value)) return value.map((each) => shown('position', each)).join(', ')
  return valueText(value)
}
