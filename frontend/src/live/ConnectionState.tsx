/** Whether live data flows, in the shell; it also keeps the connection open. */
import { CircleAlert, CirclePlay, RefreshCw } from 'lucide-react'
import { useEffect } from 'react'
import { onSessionBegin } from '@/api/client'
import { StatusMark } from '@/components/StatusMark'
import { useNow } from '@/hooks/useNow'
import { channel, useLiveStatus } from './live'

const BEHIND_S = 3

export function ConnectionState() {
  const status = useLiveStatus()
  useEffect(() => {
    const release = channel.hold()
    const forget = onSessionBegin(channel.reconnect)
    addEventListener('online', channel.reconnect)
    return () => {
      removeEventListener('online', channel.reconnect)
      forget()
      release()
    }
  }, [])
  return (
    <span role="status" aria-live="polite" data-live={status.state}>
      {mark(status.state, status.behindS, status.retryAt)}
    </span>
  )
}

function mark(state: string, behindS: number, retryAt: number) {
  switch (state) {
    case 'live':
      if (behindS < BEHIND_S) return <StatusMark tone="ok">Live</StatusMark>
      return (
        <StatusMark tone="attention" icon={CircleAlert}>
          Not up to date: the server cannot read its database
        </StatusMark>
      )
    case 'reconnecting':
      return (
        <StatusMark tone="attention" icon={RefreshCw}>
          Reconnecting
          <Countdown until={retryAt} />
        </StatusMark>
      )
    case 'logged-out':
      return <StatusMark tone="none">Logged out</StatusMark>
    default:
      return (
        <StatusMark tone="none" icon={CirclePlay}>
          Connecting
        </StatusMark>
      )
  }
}

/** Seconds until the next attempt; not read aloud, or it would be each second. */
function Countdown({ until }: { until: number }) {
  const left = Math.ceil((until - useNow()) / 1000)
  return left > 0 ? <span aria-hidden="true">{` in ${left} s`}</span> : null
}
