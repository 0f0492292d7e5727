import { useClock } from '@/hooks/useNow'
import { absoluteTime, relativeTime } from '@/lib/time'

/** "3 min. ago", which goes on by itself; its title has the whole of it. `at` is what the API gives. */
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
