/** The moves of a release, in words. */
import type { Tone } from './tone'

export type Move = 'start' | 'approve' | 'resume' | 'promote' | 'complete' | 'pause' | 'reject' | 'abort' | 'roll-back'

/** The moves in the order in which they are offered. */
export const MOVES: Record<Move, { label: string; done: string; tone: Tone }> = {
  start: { label: 'Start', done: 'started', tone: 'running' },
  approve: { label: 'Approve', done: 'approved', tone: 'running' },
  resume: { label: 'Resume', done: 'resumed', tone: 'running' },
  promote: { label: 'Promote', done: 'promoted', tone: 'running' },
  complete: { label: 'Complete', done: 'completed', tone: 'ok' },
  pause: { label: 'Pause', done: 'paused', tone: 'attention' },
  reject: { label: 'Reject', done: 'rejected', tone: 'bad' },
  abort: { label: 'Abort', done: 'aborted', tone: 'none' },
  'roll-back': { label: 'Roll back', done: 'rolled back', tone: 'bad' },
}

/** Returns the move of an audited action such as `release.roll-back`; null for other actions. */
export function moveOf(action: string): Move | null {
  const name = action.replace(/^release\./, '')
  return name in MOVES ? (name as Move) : null
}
