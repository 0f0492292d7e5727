/** The steps of a release from draft to complete, and its present position. */
import { hasCallers } from '@/lib/audience'
import type { ReleaseDetail, ReleaseState } from '@/api/schemas'
import { capitalized, count } from '@/lib/format'
import { stateWord } from '@/lib/releaseState'
import { stageName } from '@/lib/stageName'
import { duration } from '@/lib/time'
import { readFigures, readStrategy } from './figures'

/**
 * 'now': the present step; 'held': the present step, while paused; 'ended': the last step reached; 'unreached': after
 * that.
 */
export type Progress = 'done' | 'skipped' | 'now' | 'held' | 'ended' | 'ahead' | 'unreached'
/** `at` is since when. */
export type Step = { key: string; label: string; progress: Progress; at: string | null; late: number }

/** `late` devices failed after their stage had been left. */
type Place = { key: string; label: string; late: number }

export function stepsOf(release: ReleaseDetail): Step[] {
  const places = placesOf(release)
  const here = places.findIndex(({ key }) => key === standsAt(release))
  return places.map((place, index) => {
    if (index > here) return { ...place, progress: hasEnded(release.state) ? 'unreached' : 'ahead', at: null }
    if (index === here) return { ...place, ...progressAt(release, place.key) }
    const left = places.slice(index + 1, here + 1).find(({ key }) => enteredAt(release, key))
    const isSkipped = enteredAt(release, place.key) === null
    return {
      ...place,
      progress: isSkipped ? 'skipped' : 'done',
      at: left && !isSkipped ? enteredAt(release, left.key) : null,
    }
  })
}

function progressAt(release: ReleaseDetail, key: string): Pick<Step, 'progress' | 'at'> {
  const progress = key === 'complete' && release.state === 'superseded' ? 'done' : progressHere(release.state)
  const moved = progress === 'held' || progress === 'ended'
  return { progress, at: (moved ? lastMove(release)?.at : enteredAt(release, key)) ?? null }
}

/** Says how many devices of a stage failed after it had been left. */
export function lateText(late: number): string {
  return `${count(late)} failed later`
}

/** Returns the key of a stage among the steps. */
export function stageKey({ position }: { position: number }): string {
  return `stage-${position}`
}

function placesOf(release: ReleaseDetail): Place[] {
  const { simulation, approval } = readStrategy(release.strategy)
  // A scenario may require an approval that the strategy does not.
  const approved = approval || release.transitions.some(({ after }) => after === 'awaiting-approval')
  const { stages } = readFigures(release.figures)
  const place = (key: string, label: string, late = 0) => ({ key, label, late })
  return [
    place('draft', 'Draft'),
    ...(simulation ? [place('simulating', 'Simulation')] : []),
    ...(approved ? [place('awaiting-approval', 'Approval')] : []),
    ...release.stages.map((stage) =>
      place(stageKey(stage), stageName(stage), stages.get(stage.position)?.failedLate ?? 0),
    ),
    place('complete', 'Complete'),
  ]
}

/** Returns the step of the release, or its last one if it was paused or ended. */
function standsAt(release: ReleaseDetail): string {
  let state = release.state
  for (const move of [...release.transitions].reverse()) {
    if (placeOf(state, release.position)) break
    state = move.before
  }
  return placeOf(state, release.position) ?? 'draft'
}

/** Returns the step of a state; null for states that are no step. */
export function placeOf(state: ReleaseState, position: number | null): string | null {
  if (state === 'running') return stageKey({ position: position ?? 0 })
  return state === 'draft' || state === 'simulating' || state === 'awaiting-approval' || state === 'complete'
    ? state
    : null
}

function progressHere(state: ReleaseState): Progress {
  if (state === 'complete') return 'done'
  if (state === 'paused') return 'held'
  return hasEnded(state) ? 'ended' : 'now'
}

/** Returns whether the state is final. */
export function hasEnded(state: ReleaseState): boolean {
  return state === 'rejected' || state === 'superseded' || state === 'aborted' || state === 'rolled-back'
}

function enteredAt(release: ReleaseDetail, key: string): string | null {
  if (key === 'draft') return release.created_at
  const stage = release.stages.find(({ position }) => key === stageKey({ position }))
  if (stage) return stage.entered_at
  return release.transitions.find(({ after }) => after === key)?.at ?? null
}

/** Returns what has to happen next, what somebody may do about it, or the result. */
export function nextStep(release: ReleaseDetail, now: number): string {
  switch (release.state) {
    case 'draft':
      return 'The release has not been started.'
    case 'simulating':
      return 'It proceeds automatically once the task has passed on every app version and system below.'
    case 'awaiting-approval':
      return `Somebody other than ${release.created_by} has to approve or reject it.`
    case 'running':
      return waitsFor(release, now)
    case 'paused':
      return release.position === null
        ? 'No device receives it while it is paused. Resume or abort it.'
        : 'Devices keep the version that they have while it is paused. Resume it or roll it back.'
    case 'rolled-back':
      return `${hasCallers(release.kind) ? 'Callers return to the newest complete release' : 'Devices return to the newest complete release at their next check-in'}. The version is in quarantine.`
    case 'aborted':
      return release.position === null
        ? 'The release ended before any device received it.'
        : 'The release ended. Devices that have its version keep it until a newer release replaces it.'
    case 'superseded':
      return 'A newer release replaced it.'
    case 'complete':
      return 'Every matching device receives it, including devices that check in for the first time later.'
    case 'rejected':
      return ''
  }
}

function waitsFor(release: ReleaseDetail, now: number): string {
  const { stages, windowed } = readStrategy(release.strategy)
  const stage = release.stages.find(({ position }) => position === release.position)
  const plan = stages[release.position ?? 0]
  if (!stage?.entered_at || !plan) return ''
  const { treatment, newDevices } = readFigures(release.figures)
  const reported = treatment.inStage
  const left = plan.dwellS - lastedS(release, Date.parse(stage.entered_at), now)
  const waits = [
    ...(left > 0 ? [windowed ? `${duration(plan.dwellS)} within its time window` : duration(Math.ceil(left))] : []),
    ...(reported < plan.evidence
      ? [`reports of ${moreDevices(plan.evidence - reported)} (${count(reported)} of ${count(plan.evidence)})`]
      : []),
  ]
  const last = release.stages.length - 1 === release.position
  const goal = last ? 'The release completes' : 'The next stage starts'
  if (waits.length === 0) return `${goal} as soon as all checks pass.`
  const isFirst = reported < plan.evidence && newDevices.drawn > 0 && newDevices.drawn === treatment.drawn
  return `${goal} after ${waits.join(' and ')}.${isFirst ? ` ${NOBODY_COUNTS}` : ''}`
}

const NOBODY_COUNTS =
  'All devices selected so far are new and nobody vouches for them, so their reports do not count. ' +
  "Promote the release manually, which takes the right to complete early, or have the app's backend vouch for devices."

function moreDevices(more: number): string {
  return more === 1 ? '1 more device' : `${count(more)} more devices`
}

/** Returns the seconds since a moment without pauses. */
function lastedS(release: ReleaseDetail, since: number, now: number): number {
  let paused = 0
  let begun: number | null = null
  for (const { after, at } of release.transitions) {
    const moment = Math.max(since, Date.parse(at))
    if (after === 'paused') begun = moment
    else if (begun !== null) {
      paused += moment - begun
      begun = null
    }
  }
  return (now - since - paused) / 1000
}

/** Returns the last move with its actor and reason; null for a draft. */
export function lastMove(release: ReleaseDetail) {
  return release.transitions.at(-1) ?? null
}

/** "Running, Gray 20 %". */
export function stateTitle(release: ReleaseDetail): string {
  const word = capitalized(stateWord(release.state))
  const stage = release.stages.find(({ position }) => position === release.position)
  const within = release.state === 'running' || release.state === 'paused'
  return stage && within ? `${word}, ${stageName(stage)}` : word
}
