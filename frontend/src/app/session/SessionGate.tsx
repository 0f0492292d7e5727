import { useMantineColorScheme } from '@mantine/core'
import { QueryClientProvider, useQuery, useQueryClient } from '@tanstack/react-query'
import { createContext, lazy, Suspense, use, useEffect, useRef, useState, type ReactNode } from 'react'
import { onRightsChange, onSessionBegin, onSessionEnd, sessionBegun } from '@/api/client'
import { makeQueryClient } from '@/api/queryClient'
import { ErrorNote } from '@/components/ErrorNote'
import { PageSkeleton } from '@/components/Skeletons'
import { recentOf } from '@/lib/recent'
import { setTimeZone } from '@/lib/time'
import { sessionQuery, type Preferences, type Session, type User } from './session'
import classes from './session.module.css'

// Most who come are logged in.
const LoginPage = lazy(() => import('./LoginPage'))

type Current = { user: User; prefer: (preferences: Preferences) => void; isDebug: boolean }
const CurrentUser = createContext<Current | null>(null)

/** The person who is logged in. */
export function useUser(): User {
  return useSession().user
}

/** Whether the server runs in debug. */
export function useIsDebug(): boolean {
  return useSession().isDebug
}

/** Takes over how the person wants to see the dashboard, once the server has it. */
export function usePrefer(): (preferences: Preferences) => void {
  return useSession().prefer
}

function useSession() {
  const session = use(CurrentUser)
  if (!session) throw new Error('useUser outside of SessionGate')
  return session
}

/**
 * Shows the pages to people who are logged in, and the login to others, in place, so that the address stays.
 *
 * When the session ends while a page is open, the page is kept below the login: what was typed is still there for the
 * same person. For somebody else everything is loaded again: no data of others remain.
 */
export function SessionGate({ children }: { children: ReactNode }) {
  const queryClient = useQueryClient()
  const session = useQuery(sessionQuery)
  const [refusedAt, setRefusedAt] = useState(Number.NEGATIVE_INFINITY)
  const [member, setMember] = useState<User | null>(null)
  useEffect(() => onSessionEnd(() => setRefusedAt(Date.now())), [])

  const found = session.data?.user ?? null
  if (found && !member) setMember(found)
  const isAnother = found !== null && member !== null && found.username !== member.username
  useEffect(() => {
    if (isAnother) location.reload()
  }, [isAnother])

  // The session may have been read again since: the person has logged in, here or elsewhere in this browser.
  const ended = member !== null && (!found || refusedAt >= session.dataUpdatedAt)
  const wasEnded = useRef(false)
  useEffect(() => {
    if (wasEnded.current && !ended) sessionBegun()
    wasEnded.current = ended
  }, [ended])

  const entered = (next: Session) => {
    queryClient.setQueryData(sessionQuery.queryKey, next)
  }

  if (session.isPending || isAnother) return <PageSkeleton />
  if (session.error && !session.data) {
    return <ErrorNote error={session.error} retry={() => void session.refetch()} />
  }
  if (!member) {
    return (
      <Suspense fallback={<PageSkeleton />}>
        <LoginPage onEntered={entered} />
      </Suspense>
    )
  }
  const { preferences } = found ?? member
  const isDebug = session.data.debug
  const prefer = (chosen: Preferences) => {
    queryClient.setQueryData(sessionQuery.queryKey, {
      user: { ...(found ?? member), preferences: chosen },
      debug: isDebug,
    })
  }
  return (
    <CurrentUser value={{ user: { ...member, preferences }, prefer, isDebug }}>
      <Pages key={preferences.time_zone} username={member.username} preferences={preferences} ended={ended}>
        {children}
      </Pages>
      {ended && (
        <Suspense>
          <LoginPage ended onEntered={entered} />
        </Suspense>
      )}
    </CurrentUser>
  )
}

type PagesProps = { username: string; preferences: Preferences; ended: boolean; children: ReactNode }

/** One person's pages with their data; read again when the person returns, or when their rights change. */
function Pages({ username, preferences: { theme, time_zone: zone }, ended, children }: PagesProps) {
  const { setColorScheme } = useMantineColorScheme()
  const [queryClient] = useState(() => {
    recentOf(username)
    setTimeZone(zone)
    return makeQueryClient()
  })
  useEffect(() => {
    if (theme !== '') setColorScheme(theme)
  }, [theme, setColorScheme])
  useEffect(() => {
    const readAgain = () => void queryClient.invalidateQueries()
    const stops = [onSessionBegin(readAgain), onRightsChange(readAgain)]
    return () => stops.forEach((stop) => stop())
  }, [queryClient])
  return (
    <QueryClientProvider client={queryClient}>
      <div className={classes.pages} inert={ended}>
        {children}
      </div>
    </QueryClientProvider>
  )
}
