/** Icons and tones of the progress of a release's steps. */
import { CircleCheck, CircleDashed, CirclePause, CirclePlay, CircleX, type LucideIcon } from 'lucide-react'
import type { Tone } from '@/lib/tone'
import type { Progress } from './releaseSteps'

export const MARKS: Record<Progress, { tone: Tone; icon: LucideIcon; word: string }> = {
  done: { tone: 'ok', icon: CircleCheck, word: 'done' },
  skipped: { tone: 'none', icon: CircleDashed, word: 'skipped' },
  now: { tone: 'running', icon: CirclePlay, word: 'now' },
  held: { tone: 'attention', icon: CirclePause, word: 'paused here' },
  ended: { tone: 'bad', icon: CircleX, word: 'ended here' },
  ahead: { tone: 'none', icon: CircleDashed, word: 'pending' },
  unreached: { tone: 'none', icon: CircleDashed, word: 'not reached' },
}
