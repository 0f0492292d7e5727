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

type DialogProps = { release: ReleaseDetail; plan: RollbackPlan; onConfirm: () => void; onClose: () => void }

/** Requires typing the version before a rollback that also affects devices of an earlier release. */
export function RollbackDialog({ release, plan, onConfirm, onClose }: DialogProps) {
  const { label } = MOVES['roll-back']
  return (
    <TypedConfirm
      opened
      danger
      title={`${label} ${release.task} ${release.version}`}
      expected={release.version}
      what="the version"
      confirm={label}
      onConfirm={onConfirm}
      onClose={onClose}
    >
      <strong>{takenAlong(plan)}</strong> <Words plan={plan} app={release.app} />
    </TypedConfirm>
  )
}
