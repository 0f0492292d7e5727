import { useState } from 'react'
import { GuardedButton } from '@/components/GuardedButton'
import { TypedConfirm } from '@/components/TypedConfirm'
import { useRights } from '@/hooks/useRights'
import { missing, missingOfSite } from '@/lib/rights'
import type { Concern } from './attention'
import { useAcknowledging } from './useAcknowledging'

/** Acknowledges after it was said what is done; takes an acknowledgement back at once. */
export function AcknowledgeButton({ concern }: { concern: Concern }) {
  const acknowledging = useAcknowledging()
  const rights = useRights()
  const [isAsking, setIsAsking] = useState(false)
  const [note, setNote] = useState('')
  const isOpen = concern.acknowledged === null
  return (
    <>
      <GuardedButton
        missing={concern.scope === '' ? missingOfSite(rights) : missing(rights, 'acknowledge', concern.scope)}
        variant="default"
        size="compact-xs"
        aria-label={`${isOpen ? 'Acknowledge' : 'Reopen'} ${concern.title}`}
        loading={acknowledging.isPending}
        onClick={() => (isOpen ? setIsAsking(true) : acknowledging.mutate({ concern, note: null }))}
      >
        {isOpen ? 'Acknowledge' : 'Reopen'}
      </GuardedButton>
      <TypedConfirm
        opened={isAsking}
        title={`Acknowledge ${concern.title}`}
        reason={{ value: note, onChange: setNote, label: 'Note' }}
        confirm="Acknowledge"
        onClose={() => setIsAsking(false)}
        onConfirm={() => {
          setIsAsking(false)
          setNote('')
          acknowledging.mutate({ concern, note: note.trim() })
        }}
      >
        Everybody who sees it sees your name and what you write: what is done about it, or why nothing has to be. It
        needs attention again if it begins again.
      </TypedConfirm>
    </>
  )
}
