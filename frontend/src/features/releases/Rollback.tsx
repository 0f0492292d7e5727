import type { ReleaseDetail } from '@/api/schemas'
import { RelativeTime } from '@/components/RelativeTime'
import { TypedConfirm } from '@/components/TypedConfirm'
import { MOVES } from '@/lib/releaseMoves'
import { rollbackWords, takenAlong, type RollbackPlan } from './rollback'
import classes from './releases.module.css'

type NoteProps = { id: string; app: string; data: RollbackPlan | undefined; error: Error | null }

/** The effects of a rollback, shown before the click. */
export function RollbackNote({ id, app, data, error }: NoteProps) {
  return (
    <p id={id} className={`note ${classes.rollback}`} data-rollback>
      {data && <Words plan={data} app={app} />}
      {error && !data && `The effect of a rollback is not known: ${error.message}`}
    </p>
  )
}

function Words({ plan, app }: { plan: RollbackPlan; app: string }) {
  return (
    <>
      {rollbackWords(plan, app)}
      {plan.counted_at && (
        <>
          {' '}
          Counted <RelativeTime at={plan.counted_at} />.
        </>
      )}
    </>
  )
}

type DialogProps = {
  release: ReleaseDetail
  /** Undefined while it is not known. */
  plan: RollbackPlan | undefined
  /** Given where nothing is under way that would be halted. */
  reason?: { value: string; onChange: (reason: string) => void }
  onConfirm: () => void
  onClose: () => void
}

/**
 * Says how many devices have the version and what they fall back to, and asks why. The version has to be typed where
 * devices of an earlier release are affected, too, or some lose the task.
 */
export function RollbackDialog({ release, plan, reason, onConfirm, onClose }: DialogProps) {
  const { label } = MOVES['roll-back']
  const isFar = plan !== undefined && (plan.withdrawn.length > 0 || (plan.lose_it && plan.devices > 0))
  return (
    <TypedConfirm
      opened
      danger
      title={`${label} ${release.task} ${release.version}`}
      {...(isFar && { expected: release.version, what: 'the version' })}
      {...(reason && { reason })}
      confirm={label}
      onConfirm={onConfirm}
      onClose={onClose}
    >
      {plan ? (
        <>
          <strong>{takenAlong(plan)}</strong> <Words plan={plan} app={release.app} />
        </>
      ) : (
        'The effect of the rollback is not known yet.'
      )}
    </TypedConfirm>
  )
}
