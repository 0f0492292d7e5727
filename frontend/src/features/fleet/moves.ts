/** Moves of releases as vertical lines of charts: past ones from the audit log, the rest live. */
import type { AuditEntry, Release } from '@/api/schemas'
import type { ChartEvent } from '@/lib/chartMarks'
import { MOVES, moveOf, type Move } from '@/lib/releaseMoves'
import { taskPath } from '@/lib/taskName'
import type { ReleaseEvent } from '@/live/messages'

type Known = Pick<Release, 'id' | 'app' | 'task' | 'version'>

export type MoveMade = { id: number; at: string; app: string; task: string; version: string; move: Move }

/** Returns the moves of these releases among the entries of the audit log. */
export function movesAmong(entries: readonly AuditEntry[], releases: readonly Known[]): MoveMade[] {
  const known = new Map(releases.map((release) => [String(release.id), release]))
  return entries.flatMap(({ id, at, action, object_id }) => {
    const [release, move] = [known.get(object_id), moveOf(action)]
    if (!release || !move) return []
    const { app, task, version } = release
    return [{ id, at, move, app, task, version }]
  })
}

export function moveOfEvent({ id, at, action, app, task, version }: ReleaseEvent): MoveMade | null {
  const move = moveOf(action)
  return move && { id, at, move, app, task, version }
}

/** Merges moves of one app or of all, without duplicates, oldest first. */
export function mergeMoves(past: readonly MoveMade[], live: readonly MoveMade[], app: string | undefined): MoveMade[] {
  const all = new Map([...past, ...live].map((made) => [made.id, made]))
  return [...all.values()].filter((made) => app === undefined || made.app === app).sort((a, b) => a.id - b.id)
}

export function lineOf({ at, task, version, move }: MoveMade): ChartEvent {
  const { done, tone } = MOVES[move]
  return { at: Date.parse(at) / 1000, label: `${taskPath(task).task} ${version} ${done}`, tone }
}
