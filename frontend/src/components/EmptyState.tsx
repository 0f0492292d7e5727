import { Inbox, type LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { CopyText } from './CopyText'
import classes from './components.module.css'

type Props = {
  title: string
  icon?: LucideIcon
  /** An explanation of how something gets here. */
  children?: ReactNode
  /** A command to copy that creates something. */
  command?: string
}

/** Shown where there is nothing yet: says how something gets here. */
export function EmptyState({ title, icon: Icon = Inbox, children, command }: Props) {
  return (
    <div className={classes.empty}>
      <Icon size={24} aria-hidden="true" />
      <strong>{title}</strong>
      {children && <p className={classes.emptyText}>{children}</p>}
      {command && <CopyText block text={command} label="command" />}
    </div>
  )
}
