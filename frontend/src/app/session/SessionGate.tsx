import { useQuery, useQueryClient } from '@tanstack/react-query'
import { createContext, use, useEffect, useState, type ReactNode } from 'react'
import { onSessionEnd } from '@/api/client'
import { ErrorNote } from '@/components/ErrorNote'
import { PageSkeleton } from '@/components/Skeletons'
import { LoginPage } from './LoginPage'
import { sessionQuery, type Session, type User } from './session'
import classes from './session.module.css'

const CurrentUser = createContext<User | null>(null)

/** The person who is logged in. */
export function useUser(): User {
  const user = use(CurrentUser)
  if (!user) throw new Error('useUser outside of SessionGate')
  return user
}

/**
 * Shows the pages to people who are logged in, and the login to others: in place, so that the address stays.
 *
 * Where the session ends while a page is open, the page is kept below the login: what was typed there is still there for
 * the same person. Somebody else starts afresh.
 */
export function SessionGate({ children }: { children: ReactNode }) {
  const queryClient = useQueryClient()
  const session = useQuery(sessionQuery)
  const [expired, setExpired] = useState(false)
  useEffect(() => onSessionEnd(() => setExpired(true)), [])

  const entered = (next: Session, before: User | null) => {
    if (next.user?.username !== before?.username) queryClient.clear()
    queryClient.setQueryData(sessionQuery.queryKey, next)
    setExpired(false)
    if (before) void queryClient.invalidateQueries()
  }

  if (session.isPending) return <PageSkeleton />
  if (session.error && !session.data) {
    return <ErrorNote error={session.error} retry={() => void session.refetch()} />
  }
  const user = session.data.user
  if (!user) return <LoginPage onEntered={(next) => entered(next, null)} />
  return (
    <CurrentUser value={user}>
      <div key={user.username} className={classes.pages} inert={expired}>
        {children}
      </div>
      {expired && <LoginPage expired onEntered={(next) => entered(next, user)} />}
    </CurrentUser>
  )
}
