/** The audit trail of a release: entries from REST, and live ones since, as sentences. */
import type { AuditEntry, Stage } from '@/api/schemas'
import { count, plural } from '@/lib/format'
import { asList, asNumber, asText, type JsonObject } from '@/lib/json'
import { stageName } from '@/lib/stageName'
import { duration } from '@/lib/time'
import type { ReleaseEvent } from '@/live/messages'

export type Entry = Pick<AuditEntry, 'id' | 'at' | 'actor' | 'action' | 'before' | 'after'>

/** Merges entries without duplicates, newest first. */
export function mergeEntries(read: readonly AuditEntry[], live: readonly ReleaseEvent[]): Entry[] {
  const entries = new Map<number, Entry>()
  for (const entry of [...read, ...live]) entries.set(entry.id, entry)
  return [...entries.values()].sort((one, other) => other.id - one.id)
}

/** "ada paused it in Gray 20 %.": who did what. */
export function entrySentence({ actor, action, after }: Entry, stages: readonly Stage[]): string {
  const name = action.replace(/^release\./, '')
  const did = DEEDS[name]
  const who = actor === 'system' ? 'Walle' : actor
  if (!did) return `${who}: ${name.replaceAll('-', ' ')}.`
  return `${who} ${did(after ?? {}, (position) => named(position, stages))}.`
}

/** `stage` names the stage at a position. */
type Deed = (after: JsonObject, stage: (position: unknown) => string) => string

const inStage: (verb: string) => Deed = (verb) => (after, stage) => {
  const where = stage(after.position)
  return where === '' ? verb : `${verb} in ${where}`
}

const DEEDS: Readonly<Record<string, Deed>> = {
  create: () => 'drafted the release',
  start: (after, stage) => arrived('started the release', after, stage),
  pass: (after, stage) => arrived('found the simulation passed', after, stage),
  approve: (after, stage) => arrived('approved the release', after, stage),
  reject: () => 'rejected the release before any device received it',
  promote: (after, stage) => `began ${stage(after.position) || 'the next stage'}`,
  complete: () => 'completed the release',
  pause: inStage('paused the release'),
  resume: inStage('resumed the release'),
  abort: inStage('ended the release; devices keep the version that they have'),
  'roll-back': inStage('rolled the release back'),
  supersede: () => 'ended the release, since a newer one takes its place',
  restore: () => 'put the release in force again',
  simulate: (after) => `repeated the simulation, attempt ${asNumber(after.attempt) ?? 1}`,
  'promote-early': (after, stage) => `left ${skipped(after, stage)} before it had passed`,
  'complete-early': (after, stage) => `completed the release before ${skipped(after, stage)} had passed`,
  withdrawn: (after) =>
    `found that none of ${plural(asNumber(after.devices) ?? 0, 'device')} has the version any more, ${duration(asNumber(after.seconds) ?? 0)} after the rollback`,
  'still-installed': (after) =>
    `found that ${count(asNumber(after.remaining) ?? 0)} of ${plural(asNumber(after.devices) ?? 0, 'device')} still have the version, ${count(asNumber(after.offline) ?? 0)} of them offline`,
  'failing-after-complete': (after) =>
    `found that the release exceeds its limit after completion${after.rolls_back === true ? ', and rolls it back' : ''}`,
}

/** "started the release: simulation", "approved the release: Gray 20 %". */
function arrived(did: string, { state, position }: JsonObject, stage: Parameters<Deed>[1]): string {
  const where =
    state === 'simulating' ? 'the simulation' : state === 'awaiting-approval' ? 'the approval' : stage(position)
  return where === '' ? did : `${did}; ${where} began`
}

function skipped(after: JsonObject, stage: Parameters<Deed>[1]): string {
  return asList(after.skipped).map(stage).filter(Boolean).join(' and ') || 'a stage'
}

function named(position: unknown, stages: readonly Stage[]): string {
  const stage = stages.find((each) => each.position === position)
  return stage ? stageName(stage) : ''
}

export function reasonOf({ after }: Entry): string {
  return asText(after?.reason)
}
