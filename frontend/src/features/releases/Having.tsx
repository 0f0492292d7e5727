import type { ReleaseDetail } from '@/api/schemas'
import { RelativeTime } from '@/components/RelativeTime'
import { useClock } from '@/hooks/useNow'
import { count } from '@/lib/format'
import { havingWords } from './having'
import { untilNone } from './withdrawal'
import classes from './releases.module.css'

/** The one number of devices that have the version now; while it is taken back, with the time until none has it. */
export function Having({ release }: { release: ReleaseDetail }) {
  const { having, withdrawal } = release
  const left = useClock((now) => (withdrawal ? untilNone(withdrawal, now) : ''))
  if (!having) return null
  return (
    <section aria-label="Have it now" className={classes.having} data-having={having.devices}>
      <strong>{count(having.devices)}</strong>
      <span>{havingWords(release)}</span>
      <span className="note">
        {left}
        {left === '' && having.counted_at && (
          <>
            counted <RelativeTime at={having.counted_at} />
          </>
        )}
      </span>
    </section>
  )
}
