/** The messages of the live channel (docs/live.md). A frame holds one or more, one per line. */
import type { components } from '@/api/generated/schema'
import type { Release } from '@/api/schemas'

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
/** Close code: the page received events too slowly; a new connection continues after the last cursor. */
export const TOO_SLOW = 4408

type Schemas = components['schemas']

/** The value of a topic's gauge. */
export type GaugeOf<Topic extends string> = Topic extends 'releases'
  ? { results: Release[]; more: boolean }
  : Topic extends `release/${string}`
    ? Schemas['ReleaseDetail']
    : Topic extends 'fleet' | `fleet/${string}`
      ? Pick<Schemas['Fleet'], 'apps' | 'devices' | 'rates' | 'releases'>
      : Topic extends 'features' | `features/${string}`
        ? FeaturesGauge
        : Topic extends 'serving' | `serving/${string}`
          ? ServingGauge
          : Topic extends 'placements' | `placements/${string}`
            ? { results: Schemas['Placement'][] }
            : unknown

type FeaturesGauge = {
  /** What arrives per second, and the delays in milliseconds, null if nothing came. */
  rate: { features: number; raw_bytes: number; wire_bytes: number } & Record<
    'p50_ms' | 'p90_ms' | 'p99_ms',
    number | null
  >
  consumers: Schemas['FeatureConsumer'][]
  newest: Schemas['FeatureRow'][]
}

/** All serving hosts, and the last created of the pipelines that somebody sees. */
type ServingGauge = { hosts: Schemas['ServingHost'][]; pipelines: Schemas['Pipeline'][] }

/** An event of a release: an entry of the audit log. */
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

/** Parses the messages of a frame; invalid lines, and those of kinds newer than this client, are ignored. */
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
