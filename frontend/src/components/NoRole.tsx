import { UserRoundX } from 'lucide-react'
import { EmptyState } from './EmptyState'

type Props = {
  /** "any app" */
  where: string
  /** What would be here. */
  children: string
  username: string
}

/** Where there may be much, and nothing that the person may see. */
export function NoRole({ where, children, username }: Props) {
  return (
    <EmptyState title={`You have no role in ${where}`} icon={UserRoundX}>
      {children} Ask an owner or site staff to give <strong>{username}</strong> a role. This page then updates
      automatically.
    </EmptyState>
  )
}
