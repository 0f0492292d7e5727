import type { ReleaseState } from '@/api/schemas'
import { RELEASE_TONE, stateWord } from '@/lib/releaseState'
import { StatusMark } from './StatusMark'

/** The state of a release, as it is shown everywhere. */
export function ReleaseStateMark({ state }: { state: ReleaseState }) {
  return <StatusMark tone={RELEASE_TONE[state]}>{stateWord(state)}</StatusMark>
}
