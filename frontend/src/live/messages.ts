/** What the live channel says (docs/live.md). A frame holds one message or more, one per line. */
import type { components } from '@/api/generated/schema'

export type ServerMessage =
  | { type: 'subscribed'; topic: string; cursor: string }
  | { type: 'event'; topic: string; cursor: string; event: unknown }
  | { type: 'gauge'; topic: string; value: unknown }
  | { type: 'refused'; topic: string | null; code: string; detail: string }
  | { type: 'rights' }
  | { type: 'alive'; age: number }
  | { type: 'pong' }

/** Close code: nobody is logged in, or not any more. */
export const LOG_IN = 4401
/** Close code: the person has too many pages open for one more. */
export const TOO_MANY = 4429
/** Close code: we took events too slowly; coming back at once goes on after the last cursor. */
export const TOO_SLOW = 4408

type Schemas = components['schemas']

/** What a topic's gauge holds. */
export type GaugeOf<Topic extends string> = Topic extends 'releases'
  ? { results: Schemas['Release'][]; more: boolean }
  : Topic extends `release/${string}`
    ? Schemas['ReleaseDetail']
    : Topic extends 'fleet' | `fleet/${string}`
      ? Pick<Schemas['Fleet'], 'apps' | 'devices' | 'rates' | 'releases'>
      : unknown

/** Something that was done to a release: an entry of the audit log. */
export type ReleaseEvent = {
  id: number
  at: string
  actor: string
  action: string
  release: number
  app: string
  task: string
  version: string
  before: Record<string, unknown> | null
  after: Record<string, unknown> | null
}

export type EventOf<Topic extends string> = Topic extends 'releases' | `release/${string}` ? ReleaseEvent : unknown

/** The messages of a frame; lines that are none, or of a kind that came later than this client, are left out. */
export function readFrame(frame: string): ServerMessage[] {
  return frame.split('\n').flatMap((line) => {
    try {
      const message = JSON.parse(line) as ServerMessage | null
      return message !== null && typeof message === 'object' ? [message] : []
    } catch {
      return []
    }
  })
}
