import type { ReleaseDetail } from '@/api/schemas'
import { RelativeTime } from '@/components/RelativeTime'
import { count } from '@/lib/format'
import { havingWords, isWithdrawn } from './having'
import classes from './releases.module.css'

/** The one number of devices that have the version now; while it is taken back, the Withdrawal says it. */
export function Having({ release }: { release: ReleaseDetail }) {
  const { having } = release
  if (!having || isWithdrawn(release)) return null
  return (
    <section aria-label="Have it now" className={classes.having} data-having={having.devices}>
      <strong>{count(having.devices)}</strong>
      <span>{havingWords(release)}</span>
      {having.counted_at && (
        <span className="note">
          counted <RelativeTime at={having.counted_at} />
        </span>
      )}
    </section>
  )
}
