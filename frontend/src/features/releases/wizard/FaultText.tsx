import { CircleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import classes from './faultText.module.css'

/** What is wrong, where it stands; fields name it by `aria-describedby`. */
export function FaultText({ id, children }: { id?: string; children: ReactNode }) {
  return (
    <p id={id} className={classes.fault}>
      <CircleAlert size={14} aria-hidden="true" />
      <span>{children}</span>
    </p>
  )
}
