import type { ReleaseState } from '@/api/schemas'
import type { Tone } from './tone'

/** The hue of each state; states without one have neither harmed nor helped any device. */
export const RELEASE_TONE: Record<ReleaseState, Tone> = {
  draft: 'none',
  simulating: 'running',
  'awaiting-approval': 'attention',
  running: 'running',
  paused: 'attention',
  complete: 'ok',
  rejected: 'bad',
  superseded: 'none',
  aborted: 'none',
  'rolled-back': 'bad',
}

export const RELEASE_STATES = Object.keys(RELEASE_TONE) as ReleaseState[]

/** The states of started releases that are neither complete nor ended: their data may change at any moment. */
export const UNDER_WAY: readonly ReleaseState[] = ['simulating', 'awaiting-approval', 'running', 'paused']

/** "rolled back" */
export function stateWord(state: ReleaseState): string {
  return state.replaceAll('-', ' ')
}
