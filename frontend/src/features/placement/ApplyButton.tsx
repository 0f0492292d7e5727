import { Modal } from '@mantine/core'
import { useState } from 'react'
import { GuardedButton } from '@/components/GuardedButton'
import { useRights } from '@/hooks/useRights'
import { missing } from '@/lib/rights'
import type { Placement } from './answer'
import { ApplyForm } from './ApplyForm'
import { placeOf, titleOf, type Choice } from './planned'
import classes from './placement.module.css'

type Props = { placement: Placement; shown: Choice }

/** Makes a version of the plan that is shown, if it is one of the placement's, and leads to it. */
export function ApplyButton({ placement, shown }: Props) {
  const [opened, setOpened] = useState(false)
  const rights = useRights()
  const place = placeOf(shown)
  if (place === null) return null
  return (
    <div className={classes.actions}>
      <span className={`note ${classes.actionNote}`}>
        As a version of a task, this plan is released in stages and rolled back like any other. Plans with windows over
        several items cannot be: devices have one item at a time.
      </span>
      <GuardedButton
        variant="default"
        missing={missing(rights, 'push', `scenario:${placement.scenario}`)}
        onClick={() => setOpened(true)}
      >
        Apply as a version
      </GuardedButton>
      <Modal opened={opened} onClose={() => setOpened(false)} title={`Apply as a version: ${titleOf(shown)}`}>
        <ApplyForm placement={placement} plan={shown.plan} place={place} />
      </Modal>
    </div>
  )
}
