/** The moves of a release by people: which are possible, who may make them, and what they lead to. */
import type { ReleaseDetail, ReleaseState } from '@/api/schemas'
import { MOVES, type Move } from '@/lib/releaseMoves'
import { UNDER_WAY } from '@/lib/releaseState'
import { missing, type Rights } from '@/lib/rights'
import { serverNow } from '@/lib/serverClock'
import { taskPath } from '@/lib/taskName'

type Conditions = {
  /** Widening reaches more devices and requires typing the number. Halting makes devices safer and is done at once. */
  effect: 'widens' | 'halts'
  from: readonly ReleaseState[]
}

export const CONDITIONS: Record<Move, Conditions> = {
  start: { effect: 'widens', from: ['draft'] },
  approve: { effect: 'widens', from: ['awaiting-approval'] },
  resume: { effect: 'widens', from: ['paused'] },
  promote: { effect: 'widens', from: ['running'] },
  complete: { effect: 'widens', from: ['running'] },
  pause: { effect: 'halts', from: ['simulating', 'awaiting-approval', 'running'] },
  reject: { effect: 'halts', from: ['simulating', 'awaiting-approval'] },
  abort: { effect: 'halts', from: ['draft', ...UNDER_WAY] },
  'roll-back': { effect: 'halts', from: [...UNDER_WAY, 'complete', 'aborted', 'superseded'] },
}

/** Returns the moves that are possible now, in the order in which they are offered. */
export function possibleMoves({ state, position, stages }: Pick<ReleaseDetail, 'state' | 'position' | 'stages'>) {
  return (Object.keys(MOVES) as Move[]).filter((move) => {
    if (!CONDITIONS[move].from.includes(state)) return false
    // Without any device there is nothing to roll back; and the last stage has no next one.
    if (move === 'roll-back') return position !== null
    return move !== 'promote' || (position ?? 0) + 1 < stages.length
  })
}

/** The moves that skip what a stage waits for, unless it has passed; these require a reason. */
export const SKIPS: readonly Move[] = ['promote', 'complete']

/** Returns why somebody may not make a move, and whom to contact; null if they may, as far as is known. */
export function obstacle(
  rights: Rights,
  move: Move,
  { app, task, created_by: maker, allowed }: Pick<ReleaseDetail, 'app' | 'task' | 'created_by' | 'allowed'>,
): string | null {
  const scenario = scenarioOf(task)
  if (CONDITIONS[move].effect === 'halts') return missing(rights, 'halt releases', scenario, `app:${app}`)
  if (move === 'approve' && rights.username === maker)
    return 'You created this release: somebody else has to approve it.'
  return (
    missing(rights, 'release', scenario) ??
    missing(rights, 'view', `app:${app}`) ??
    notAllowed(move, app, task, allowed)
  )
}

/** Returns what the app's owners have not granted the scenario, which applies to site staff, too. */
function notAllowed(move: Move, app: string, task: string, allowed: ReleaseDetail['allowed']): string | null {
  const who = taskPath(task).scenario
  if (!allowed.deliver) return `${who} may not deliver to ${app}. An owner of app ${app} can allow it.`
  if (allowed.complete_early || !SKIPS.includes(move)) return null
  return `The release proceeds automatically once its stage has passed. ${who} may not complete releases to ${app} early: an owner of app ${app} can allow it.`
}

/** Returns whether a move asks first, with a reason: it undoes what rests, or goes on after somebody stopped it. */
export function asksWhy(move: Move, { state }: Pick<ReleaseDetail, 'state'>): boolean {
  return move === 'resume' || (move === 'roll-back' && !UNDER_WAY.includes(state))
}

/**
 * Returns the words for taking a halting move back. A pause is undone; an ended release stays as it ended, and the same
 * is released again from its first stage, or drafted again if it was a draft.
 */
export function wayBack(move: Move, before: Pick<ReleaseDetail, 'state'>): string {
  if (move === 'pause') return 'Undo'
  return before.state === 'draft' ? 'Draft again' : 'Release again'
}

export function scenarioOf(task: string): string {
  return `scenario:${taskPath(task).scenario}`
}

const LEADS_TO: Partial<Record<Move, ReleaseState>> = {
  reject: 'rejected',
  complete: 'complete',
  pause: 'paused',
  abort: 'aborted',
  'roll-back': 'rolled-back',
  approve: 'running',
}

/** Returns the release as it will be after the move; unchanged if that is unknown. */
export function expected(release: ReleaseDetail, move: Move, reason = ''): ReleaseDetail {
  if (move === 'promote') return { ...release, position: (release.position ?? 0) + 1 }
  const state = LEADS_TO[move]
  if (state === undefined) return release
  const position = move === 'approve' ? 0 : release.position
  const made: ReleaseDetail['transitions'][number] = {
    action: move,
    actor: '',
    at: new Date(serverNow()).toISOString(),
    before: release.state,
    after: state,
    position_before: release.position,
    position_after: position,
    reason,
    evidence: {},
  }
  return { ...release, state, position, transitions: [...release.transitions, made] }
}

/**
 * Returns the newer of two readings of a release, whose moves and verdicts only grow; `live` if they are equally old.
 */
export function newer(live: ReleaseDetail | undefined, read: ReleaseDetail | undefined): ReleaseDetail | undefined {
  if (!live || !read) return live ?? read
  const moves = live.transitions.length - read.transitions.length
  return moves < 0 || (moves === 0 && live.verdicts.length < read.verdicts.length) ? read : live
}
