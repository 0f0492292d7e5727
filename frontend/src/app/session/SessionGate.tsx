import { QueryClientProvider, useQuery, useQueryClient } from '@tanstack/react-query'
import { createContext, use, useEffect, useState, type ReactNode } from 'react'
import { onSessionEnd, sessionBegun } from '@/api/client'
import { makeQueryClient } from '@/api/queryClient'
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
  const [refused, setRefused] = useState(false)
  const [member, setMember] = useState<User | null>(null)
  useEffect(() => onSessionEnd(() => setRefused(true)), [])

  const found = session.data?.user ?? null
  if (found && found.username !== member?.username) setMember(found)

  const entered = (next: Session) => {
    queryClient.setQueryData(sessionQuery.queryKey, next)
    setRefused(false)
    sessionBegun()
  }

  if (session.isPending) return <PageSkeleton />
  if (session.error && !session.data) {
    return <ErrorNote error={session.error} retry={() => void session.refetch()} />
  }
  if (!member) return <LoginPage onEntered={entered} />
  const ended = refused || !found
  return (
    <CurrentUser value={member}>
      <Pages key={member.username} ended={ended}>
        {children}
      </Pages>
      {ended && <LoginPage ended onEntered={entered} />}
    </CurrentUser>
  )
}

/** One person's pages with what was read for them; read anew when the person is back. */
function Pages({ ended, children }: { ended: boolean; children: ReactNode }) {
  const [queryClient] = useState(makeQueryClient)
  useEffect(() => {
    if (!ended) void queryClient.invalidateQueries()
  }, [ended, queryClient])
  return (
    <QueryClientProvider client={queryClient}>
      <div className={classes.pages} inert={ended}>
        {children}
      </div>
    </QueryClientProvider>
  )
}
