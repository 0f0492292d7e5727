import {
  Ban,
  CircleCheck,
  CircleDashed,
  CirclePause,
  CirclePlay,
  CircleX,
  Rocket,
  Undo2,
  UserRoundCheck,
  type LucideIcon,
} from 'lucide-react'
import type { ReleaseState } from '@/api/schemas'

export const STATE_ICON: Record<ReleaseState, LucideIcon> = {
  draft: CircleDashed,
  simulating: CirclePlay,
  'awaiting-approval': UserRoundCheck,
  running: CirclePlay,
  paused: CirclePause,
  complete: CircleCheck,
  rejected: CircleX,
  superseded: Rocket,
  aborted: Ban,
  'rolled-back': Undo2,
}
