/** The state of the live channel in the shell; it also keeps the connection open. */
import { Tooltip } from '@mantine/core'
import { CirclePlay, RefreshCw, type LucideIcon } from 'lucide-react'
import { useEffect } from 'react'
import { onSessionBegin } from '@/api/client'
import { StatusMark } from '@/components/StatusMark'
import { useNow } from '@/hooks/useNow'
import { timeOfDay } from '@/lib/time'
import type { Tone } from '@/lib/tone'
import type { LiveState } from '@/live/channel'
import { channel, useLiveStatus } from '@/live/live'
import classes from './connection.module.css'

export function ConnectionState() {
  const status = useLiveStatus()
  useEffect(() => {
    const release = channel.hold()
    const forget = onSessionBegin(channel.renew)
    addEventListener('online', channel.online)
    addEventListener('offline', channel.offline)
    return () => {
      removeEventListener('online', channel.online)
      removeEventListener('offline', channel.offline)
      forget()
      release()
    }
  }, [])
  const { tone, icon, word, why } = LABELS[status.state]
  const from = status.oldSince > 0 && `Data from ${timeOfDay(status.oldSince)}.`
  const note = [why, from].filter(Boolean).join(' ')
  return (
    <Tooltip label={note ? `${word}. ${note}` : word} position="right">
      <span role="status" aria-live="polite" data-live={status.state} className={classes.state}>
        <StatusMark tone={tone} {...(icon ? { icon } : {})}>
          {word}
          {status.retryAt > 0 && <Countdown until={status.retryAt} />}
        </StatusMark>
        {note && <span className={classes.note}>{note}</span>}
      </span>
    </Tooltip>
  )
}

type StateLabel = { tone: Tone; word: string; icon?: LucideIcon; why?: string }

const LABELS: Record<LiveState, StateLabel> = {
  connecting: { tone: 'none', word: 'Connecting', icon: CirclePlay },
  live: { tone: 'ok', word: 'Live' },
  behind: { tone: 'attention', word: 'Not up to date', why: 'The server cannot read its database.' },
  reconnecting: { tone: 'attention', word: 'Reconnecting', icon: RefreshCw },
  crowded: { tone: 'attention', word: 'Not live', why: 'You have too many pages open.' },
  'logged-out': { tone: 'none', word: 'Logged out' },
}

/** The seconds until the next attempt, which are not read aloud each second. */
function Countdown({ until }: { until: number }) {
  const left = Math.ceil((until - useNow()) / 1000)
  return left > 0 ? <span aria-hidden="true">{` in ${left} s`}</span> : null
}
