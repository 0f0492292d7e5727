import { useClock } from '@/hooks/useNow'
import { absoluteTime, relativeTime } from '@/lib/time'

/**
 * A relative time such as "3 min. ago", which updates itself; its title has the absolute time. `at` is a timestamp of
 * the API.
 */
export function RelativeTime({ at, empty = 'never' }: { at: string | null | undefined; empty?: string }) {
  if (!at) return <span>{empty}</span>
  const time = Date.parse(at)
  return (
    <time dateTime={at} title={absoluteTime(time)}>
      <Ago time={time} />
    </time>
  )
}

function Ago({ time }: { time: number }) {
  return useClock((now) => relativeTime(time, now))
}
