import { Tooltip } from '@mantine/core'
import { useNow } from '@/hooks/useNow'
import { absoluteTime, relativeTime } from '@/lib/time'

/** "3 min. ago", which goes on by itself; the tooltip has the whole of it. `at` is what the API gives. */
export function RelativeTime({ at, empty = 'never' }: { at: string | null | undefined; empty?: string }) {
  const now = useNow()
  if (!at) return <span>{empty}</span>
  const time = Date.parse(at)
  return (
    <Tooltip label={absoluteTime(time)}>
      <time dateTime={at}>{relativeTime(time, now)}</time>
    </Tooltip>
  )
}
