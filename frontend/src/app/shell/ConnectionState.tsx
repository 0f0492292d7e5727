/** Whether live data flows, in the shell; it also keeps the connection open. */
import { Tooltip } from '@mantine/core'
import { CircleAlert, CirclePlay, RefreshCw, type LucideIcon } from 'lucide-react'
import { useEffect } from 'react'
import { onSessionBegin } from '@/api/client'
import { StatusMark } from '@/components/StatusMark'
import { useNow } from '@/hooks/useNow'
import type { Tone } from '@/lib/tone'
import type { LiveState } from '@/live/channel'
import { channel, useLiveStatus } from '@/live/live'
import classes from './connection.module.css'

const BEHIND_S = 3

export function ConnectionState() {
  const status = useLiveStatus()
  useEffect(() => {
    const release = channel.hold()
    const forget = onSessionBegin(channel.renew)
    addEventListener('online', channel.reconnect)
    return () => {
      removeEventListener('online', channel.reconnect)
      forget()
      release()
    }
  }, [])
  const { tone, icon, word } = said(status.state, status.behindS)
  return (
    <Tooltip label={word} position="right">
      <span role="status" aria-live="polite" data-live={status.state} className={classes.state}>
        <StatusMark tone={tone} {...(icon ? { icon } : {})}>
          {word}
          {status.state === 'reconnecting' && <Countdown until={status.retryAt} />}
        </StatusMark>
      </span>
    </Tooltip>
  )
}

type Said = { tone: Tone; word: string; icon?: LucideIcon }

function said(state: LiveState, behindS: number): Said {
  switch (state) {
    case 'live':
      if (behindS < BEHIND_S) return { tone: 'ok', word: 'Live' }
      return { tone: 'attention', word: 'Not up to date: the server cannot read its database', icon: CircleAlert }
    case 'reconnecting':
      return { tone: 'attention', word: 'Reconnecting', icon: RefreshCw }
    case 'logged-out':
      return { tone: 'none', word: 'Logged out' }
    case 'connecting':
      return { tone: 'none', word: 'Connecting', icon: CirclePlay }
  }
}

/** Seconds until the next attempt; not read aloud, or it would be each second. */
function Countdown({ until }: { until: number }) {
  const left = Math.ceil((until - useNow()) / 1000)
  return left > 0 ? <span aria-hidden="true">{` in ${left} s`}</span> : null
}
