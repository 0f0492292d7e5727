/** The history of a release as a graph: its steps, the states besides, and the moves between them. */
import type { ReleaseDetail, ReleaseState } from '@/api/schemas'
import { capitalized } from '@/lib/format'
import { MOVES, moveOf, type Move } from '@/lib/releaseMoves'
import { stateWord } from '@/lib/releaseState'
import { stepsOf, placeOf, type Progress } from './releaseSteps'
import { possibleMoves } from './moves'

export type Transition = ReleaseDetail['transitions'][number]
/** `at` is since when. */
export type StateNode = { key: string; label: string; at: string | null } & (
  | { kind: 'step'; progress: Progress }
  | { kind: 'state'; state: ReleaseState; isReached: boolean }
  | { kind: 'release'; release: number }
)
/**
 * The kinds of edges: `main` from one step to the next; `cause` to the release that caused the state. `possible` is the
 * move that somebody could make along it now.
 */
export type StateEdge = {
  kind: 'main' | 'aside' | 'cause'
  from: string
  to: string
  moves: Transition[]
  possible: Move | null
}
export type ReleaseGraph = { places: StateNode[]; edges: StateEdge[]; present: string }

/** The moves that leave the main line, or lead back to it. */
const ASIDE: readonly Move[] = ['pause', 'resume', 'reject', 'abort', 'roll-back']

export function releaseGraphOf(release: ReleaseDetail): ReleaseGraph {
  const steps = stepsOf(release)
  const legs = legsOf(release)
  const present = placeOf(release.state, release.position) ?? legs.at(-1)?.to ?? release.state
  const edges = new Edges()
  steps.slice(1).forEach(({ key }, index) => (edges.between(steps[index]?.key ?? '', key).kind = 'main'))
  for (const { from, to, move } of legs) edges.between(from, to).moves.push(move)
  for (const move of possibleMoves(release)) {
    const to = ASIDE.includes(move) ? targetOf(move, present) : null
    if (to !== null) edges.between(present, to).possible = move
  }
  for (const { to, move } of legs) {
    const other = otherRelease(move)
    if (other !== null && move.after === 'superseded') edges.between(to, releaseKey(other)).kind = 'cause'
  }
  const places = new Map<string, StateNode>(steps.map((step) => [step.key, { kind: 'step', ...step }]))
  for (const { to } of edges.all) if (!places.has(to)) places.set(to, placeAside(to, edges.all))
  return { places: [...places.values()], edges: edges.all, present }
}

type Leg = { from: string; to: string; move: Transition }

function legsOf({ transitions }: ReleaseDetail): Leg[] {
  let here = 'draft'
  return transitions.map((move) => {
    const from = here
    here = placeOf(move.after, move.position_after) ?? keyAside(move.after, from)
    return { from, to: here, move }
  })
}

const PAUSED = 'paused '

/** Returns the key of a state beside the main line: a pause belongs to its step; a release ends once. */
function keyAside(state: ReleaseState, from: string): string {
  return state === 'paused' ? PAUSED + from : state
}

function targetOf(move: Move, present: string): string {
  if (move === 'pause') return PAUSED + present
  if (move === 'resume') return present.replace(PAUSED, '')
  return { reject: 'rejected', abort: 'aborted', 'roll-back': 'rolled-back' }[move as string] ?? present
}

/** Returns the release that a move was about, such as the newer one that replaced it. */
export function otherRelease({ action, evidence }: Transition): number | null {
  const other = evidence.release
  return (action === 'supersede' || action === 'restore') && typeof other === 'number' ? other : null
}

const RELEASE = 'release '

function releaseKey(release: number): string {
  return RELEASE + String(release)
}

function placeAside(key: string, edges: readonly StateEdge[]): StateNode {
  const last = edges
    .filter(({ to }) => to === key)
    .flatMap(({ moves }) => moves)
    .sort(byTime)
    .at(-1)
  if (key.startsWith(RELEASE)) {
    return { key, label: capitalized(key), at: null, kind: 'release', release: Number(key.slice(RELEASE.length)) }
  }
  const state = (key.startsWith(PAUSED) ? 'paused' : key) as ReleaseState
  return {
    key,
    label: capitalized(stateWord(state)),
    at: last?.at ?? null,
    kind: 'state',
    state,
    isReached: last !== undefined,
  }
}

function byTime(one: Transition, other: Transition): number {
  return Date.parse(one.at) - Date.parse(other.at)
}

/** Collects edges by their ends, without duplicates. */
class Edges {
  readonly all: StateEdge[] = []

  between(from: string, to: string): StateEdge {
    const known = this.all.find((edge) => edge.from === from && edge.to === to)
    if (known) return known
    const made: StateEdge = { kind: 'aside', from, to, moves: [], possible: null }
    this.all.push(made)
    return made
  }
}

/**
 * Returns the label of an edge: "promoted", "paused 2×"; the button's text for a possible move; '' for automatic ones.
 */
export function edgeWords({ kind, moves, possible }: Pick<StateEdge, 'kind' | 'moves' | 'possible'>): string {
  if (kind === 'cause') return 'by'
  const words = [...new Set(moves.map(({ action }) => doneWord(action)))].join(', ')
  if (words !== '') return moves.length > 1 ? `${words} ${moves.length}×` : words
  return possible ? MOVES[possible].label.toLowerCase() : ''
}

/** The words for automatic moves. */
const BY_ITSELF: Record<string, string> = { pass: 'passed', supersede: 'superseded', restore: 'restored' }

export function doneWord(action: Transition['action']): string {
  const move = moveOf(action)
  return move ? MOVES[move].done : (BY_ITSELF[action] ?? action)
}

/** Returns the moves to and from a state, newest first, with the names of their ends. */
export function movesAt(
  { places, edges }: ReleaseGraph,
  key: string,
): { move: Transition; from: string; to: string }[] {
  const name = (of: string) => places.find((place) => place.key === of)?.label ?? of
  return edges
    .filter(({ from, to }) => from === key || to === key)
    .flatMap(({ from, to, moves }) => moves.map((move) => ({ move, from: name(from), to: name(to) })))
    .sort((one, other) => byTime(other.move, one.move))
}
