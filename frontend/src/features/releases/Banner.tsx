import { CircleAlert, CirclePause, Undo2, type LucideIcon } from 'lucide-react'
import type { ReleaseDetail } from '@/api/schemas'
import { Notice } from '@/components/Notice'
import { RelativeTime } from '@/components/RelativeTime'
import type { Tone } from '@/lib/tone'
import { lastMove } from './releaseSteps'

type BannerText = { title: string; tone: Tone; icon: LucideIcon }

/** Notices that nobody should overlook: the release was rolled back, rejected, or is on hold. */
export function Banner({ release }: { release: ReleaseDetail }) {
  const move = lastMove(release)
  const banner = titleOf(release)
  if (!banner || !move) return null
  const { title, tone, icon } = banner
  return (
    <Notice role="alert" tone={tone} icon={icon}>
      <strong>{title}</strong> {move.reason}
      <p className="note">
        {move.actor !== 'system' && move.actor !== '' && `by ${move.actor}, `}
        <RelativeTime at={move.at} />
      </p>
    </Notice>
  )
}

function titleOf({ state, transitions }: ReleaseDetail): BannerText | null {
  const byItself = transitions.at(-1)?.actor === 'system'
  switch (state) {
    case 'rolled-back':
      return { title: byItself ? 'Rolled back automatically.' : 'Rolled back.', tone: 'bad', icon: Undo2 }
    case 'rejected':
      return { title: 'Rejected before any device received it.', tone: 'bad', icon: CircleAlert }
    case 'paused':
      return { title: byItself ? 'Paused automatically.' : 'Paused.', tone: 'attention', icon: CirclePause }
    default:
      return null
  }
}
