/** The number of devices that a widening move reaches, from the preview of the same release. */
import type { ReleaseDetail, ReleasePlan, Stage } from '@/api/schemas'
import { type Move } from '@/lib/releaseMoves'

/** `stage` is the one that the move leads to; null stands for all that it may reach. */
export type Reach = { devices: ReleasePlan['matched']; stage: Stage | null }

/** Returns null while it is unknown. */
export function reachOf(
  plan: ReleasePlan | undefined,
  move: Move,
  release: Pick<ReleaseDetail, 'position' | 'stages'>,
): Reach | null {
  if (!plan) return null
  const position = move === 'promote' ? (release.position ?? 0) + 1 : move === 'resume' ? release.position : null
  const stage = release.stages.find((each) => each.position === position)
  const planned = plan.stages.find((each) => each.position === position)
  if (!stage || !planned) return { devices: plan.matched, stage: null }
  return { devices: planned.reaches, stage }
}
