import { UserRoundX } from 'lucide-react'
import { EmptyState } from './EmptyState'

type Props = {
  /** The scope in words, such as "any app". */
  where: string
  /** What would be shown here. */
  children: string
  username: string
}

/** Shown where there may be data, but none that the person may see. */
export function NoRole({ where, children, username }: Props) {
  return (
    <EmptyState title={`You have no role in ${where}`} icon={UserRoundX}>
      {children} Ask an owner or site staff to give <strong>{username}</strong> a role. This page then updates
      automatically.
    </EmptyState>
  )
}
