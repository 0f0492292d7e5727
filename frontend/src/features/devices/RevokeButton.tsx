import { Ban, Undo2 } from 'lucide-react'
import { useState } from 'react'
import { GuardedButton } from '@/components/GuardedButton'
import { TypedConfirm } from '@/components/TypedConfirm'
import { useRights } from '@/hooks/useRights'
import { plural } from '@/lib/format'
import { missing } from '@/lib/rights'
import { useRevocation, type DeviceDetail } from './useDevice'

/** Revokes after it was said why; reinstates at once. The note about it offers to undo that. */
export function RevokeButton({ device }: { device: DeviceDetail }) {
  const revocation = useRevocation()
  const [isAsking, setIsAsking] = useState(false)
  const [reason, setReason] = useState('')
  const path = { app: device.app, device: device.device }
  const revoked = device.revoked_at !== null
  return (
    <>
      <GuardedButton
        missing={missing(useRights(), 'manage keys', `app:${device.app}`)}
        variant="default"
        leftSection={revoked ? <Undo2 size={14} aria-hidden="true" /> : <Ban size={14} aria-hidden="true" />}
        loading={revocation.isPending}
        onClick={() => (revoked ? revocation.mutate({ path, revoke: null }) : setIsAsking(true))}
      >
        {revoked ? 'Reinstate' : 'Revoke'}
      </GuardedButton>
      <TypedConfirm
        opened={isAsking}
        danger
        title={`Revoke ${device.device}`}
        reason={{ value: reason, onChange: setReason }}
        confirm="Revoke"
        onClose={() => setIsAsking(false)}
        onConfirm={() => {
          setIsAsking(false)
          setReason('')
          revocation.mutate({ path, revoke: reason.trim() })
        }}
      >
        {consequences(device)}
      </TypedConfirm>
    </>
  )
}

function consequences({ installed, app }: DeviceDetail): string {
  const has = installed.length === 0 ? 'It has no task' : `It keeps the ${plural(installed.length, 'task')} that it has`
  return `One device of ${app}. ${has}, falls back to nothing, and hears of no new version and of no rollback. It cannot enrol again until it is reinstated.`
}
