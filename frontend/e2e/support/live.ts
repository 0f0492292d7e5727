/** What comes through the sockets of a page. */
import { expect } from 'vitest'
import { auditedEntries } from './releases'
import { until } from './world'

type Message = { type: string; topic?: string; event?: { id: number } }

/** The numbers of the audit entries that a frame tells subscribers of a topic. */
export function eventsIn(frame: string | Buffer, topic: string): string[] {
  const messages = String(frame)
    .split('\n')
    .map((line) => JSON.parse(line) as Message)
  return messages.flatMap(({ type, topic: of, event }) =>
    type === 'event' && of === topic && event ? [String(event.id)] : [],
  )
}

/**
 * The entries of a release since those before; each was heard of once, in their order.
 *
 * They are waited for: what a page asked for by itself may be on it before its socket brings it.
 */
export async function heardSince(before: string[], release: number, heard: string[]): Promise<string[]> {
  const since = (await auditedEntries(release)).filter((entry) => !before.includes(entry)).reverse()
  await until('every entry heard of', () => Promise.resolve(heard.length >= since.length))
  expect(heard).toEqual(since)
  return since
}
