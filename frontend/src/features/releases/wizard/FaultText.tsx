import { CircleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import classes from './faultText.module.css'

/** An error text at its field, which names it by `aria-describedby`. */
export function FaultText({ id, children }: { id?: string; children: ReactNode }) {
  return (
    <p id={id} className={classes.fault}>
      <CircleAlert size={14} aria-hidden="true" />
      <span>{children}</span>
    </p>
  )
}
