import { TextInput } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useEffect, useId, useRef, useState } from 'react'
import type { ReleaseDetail } from '@/api/schemas'
import { GuardedButton } from '@/components/GuardedButton'
import { useRights } from '@/hooks/useRights'
import { MOVES, type Move } from '@/lib/releaseMoves'
import { missing } from '@/lib/rights'
import { asksWhy, CONDITIONS, obstacle, possibleMoves, scenarioOf, SKIPS } from './moves'
import { RollbackDialog, RollbackNote } from './Rollback'
import type { useMove } from './useMove'
import { useRollback } from './useRollback'
import { usePlan, WideningDialog } from './WideningDialog'
import classes from './releases.module.css'

type Props = { release: ReleaseDetail; etag: string | null; move: ReturnType<typeof useMove> }

const MAIN: readonly Move[] = ['start', 'approve', 'resume']
const WHY_FIRST = 'Type a reason first: this move skips what the stage waits for. The reason is recorded.'

/**
 * The possible actions on the release: halting at once, widening after the number was typed.
 *
 * The effects of a rollback are shown beforehand. One of a release under way is done at once, unless it affects more than
 * this release; where nothing is under way, it asks why, and so does a resumption.
 */
export function Actions({ release, etag, move }: Props) {
  const [pendingMove, setPendingMove] = useState<Move | null>(null)
  const [reason, setReason] = useState('')
  const rights = useRights()
  const possible = possibleMoves(release).map((each) => {
    const refusal = obstacle(rights, each, release)
    return { each, refusal, isUnexplained: refusal === null && SKIPS.includes(each) && reason.trim() === '' }
  })
  const widening = pendingMove !== null && CONDITIONS[pendingMove].effect === 'widens' ? pendingMove : null
  const plan = usePlan(release, widening !== null)
  const mayRollBack = possible.some(({ each, refusal }) => each === 'roll-back' && refusal === null)
  const rollback = useRollback(release, mayRollBack)
  const rollbackId = useId()
  const [box, keepFocus] = useKeptFocus()
  const make = (chosen: Move, tag: string | null) => {
    // A refused move can be tried again, with the reason that was typed.
    move.decide({ move: chosen, reason: reason.trim(), etag: tag }, () =>
      setReason((now) => (now === reason ? '' : now)),
    )
    setPendingMove(null)
    keepFocus()
  }
  const begin = async (chosen: Move) => {
    if (move.isBusy) return
    const needsConfirmation =
      CONDITIONS[chosen].effect === 'widens' ||
      asksWhy(chosen, release) ||
      (chosen === 'roll-back' && (await rollback.takesMore()))
    if (needsConfirmation) setPendingMove(chosen)
    else make(chosen, null)
  }
  return (
    <div ref={box} className={classes.actions} role="group" aria-label="Moves" tabIndex={-1}>
      {possible.some(({ refusal }) => refusal === null) && (
        <TextInput
          aria-label="Reason of the next move"
          placeholder="Reason, recorded with the next move"
          value={reason}
          maxLength={2000}
          className={classes.reason}
          onChange={(event) => setReason(event.currentTarget.value)}
        />
      )}
      {possible.map(({ each, refusal, isUnexplained }) => (
        <GuardedButton
          key={each}
          missing={isUnexplained ? WHY_FIRST : refusal}
          variant={MAIN.includes(each) || each === 'roll-back' ? 'filled' : 'default'}
          color={each === 'roll-back' ? 'red' : 'blue'}
          loading={widening === each && plan.isFetching}
          aria-disabled={move.isBusy}
          aria-describedby={each === 'roll-back' ? rollbackId : undefined}
          onClick={() => void begin(each)}
        >
          {MOVES[each].label}
        </GuardedButton>
      ))}
      <GuardedButton
        missing={missing(rights, 'release', scenarioOf(release.task))}
        variant="default"
        renderRoot={(props: object) => <Link to="/releases/new" search={{ clone: String(release.id) }} {...props} />}
      >
        Clone
      </GuardedButton>
      {mayRollBack && <RollbackNote id={rollbackId} app={release.app} {...rollback} />}
      {widening && !plan.isFetching && (
        <WideningDialog
          release={release}
          move={widening}
          plan={plan}
          {...(asksWhy(widening, release) && { reason: { value: reason, onChange: setReason } })}
          onConfirm={() => make(widening, etag)}
          onClose={() => setPendingMove(null)}
        />
      )}
      {pendingMove === 'roll-back' && (
        <RollbackDialog
          release={release}
          plan={rollback.data}
          {...(asksWhy('roll-back', release) && { reason: { value: reason, onChange: setReason } })}
          onConfirm={() => make('roll-back', null)}
          onClose={() => setPendingMove(null)}
        />
      )}
    </div>
  )
}

/** Keeps the keyboard focus among the buttons when the button of a move disappears after it. */
function useKeptFocus() {
  const box = useRef<HTMLDivElement>(null)
  const acted = useRef(false)
  useEffect(() => {
    if (!acted.current || document.activeElement !== document.body) return
    acted.current = false
    box.current?.focus({ preventScroll: true })
  })
  const keep = () => {
    acted.current = true
  }
  return [box, keep] as const
}
