import { CircleAlert, CircleCheck, CircleDashed, CirclePlay, CircleX, type LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { TONE_COLOR, type Tone } from '@/lib/tone'
import classes from './components.module.css'

const ICONS: Record<Tone, LucideIcon> = {
  ok: CircleCheck,
  running: CirclePlay,
  attention: CircleAlert,
  bad: CircleX,
  none: CircleDashed,
}

/** A status with icon, word and hue, never the hue alone. `icon` overrides the tone's own. */
export function StatusMark({ tone, icon, children }: { tone: Tone; icon?: LucideIcon; children: ReactNode }) {
  const Icon = icon ?? ICONS[tone]
  return (
    <span className={classes.status} style={{ color: TONE_COLOR[tone] }}>
      <Icon size={14} aria-hidden="true" />
      <span className={classes.statusWord}>{children}</span>
    </span>
  )
}
