import { Modal } from '@mantine/core'
import { useState, type ReactNode } from 'react'
import { GuardedButton } from '@/components/GuardedButton'
import { useRights } from '@/hooks/useRights'
import { missingStaff } from '@/lib/rights'
import type { Place } from './place'

/** Opens the form of a new app or scenario, which site staff create. */
export function NewPlaceButton({ kind, children }: { kind: Place['kind']; children: ReactNode }) {
  const [opened, setOpened] = useState(false)
  return (
    <>
      <GuardedButton missing={missingStaff(useRights(), `create ${kind}s`)} onClick={() => setOpened(true)}>
        New {kind}
      </GuardedButton>
      <Modal opened={opened} onClose={() => setOpened(false)} title={`New ${kind}`}>
        {children}
      </Modal>
    </>
  )
}
