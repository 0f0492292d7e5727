import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { TONE_COLOR, type Tone } from '@/lib/tone'
import classes from './components.module.css'

type Props = {
  /** `alert` is read aloud at once. */
  role: 'alert' | 'note'
  tone: Tone
  icon: LucideIcon
  /** An action on the right. */
  action?: ReactNode
  children: ReactNode
}

/** A notice that nobody should overlook. */
export function Notice({ role, tone, icon: Icon, action, children }: Props) {
  return (
    <div role={role} className={classes.notice} style={{ borderColor: TONE_COLOR[tone] }}>
      <Icon size={16} aria-hidden="true" style={{ color: TONE_COLOR[tone] }} />
      <div className={classes.noticeText}>{children}</div>
      {action}
    </div>
  )
}
