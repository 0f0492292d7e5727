import { Ban, Undo2 } from 'lucide-react'
import { GuardedButton } from '@/components/GuardedButton'
import { useRights } from '@/hooks/useRights'
import { missing } from '@/lib/rights'
import { useRevocation, type DeviceDetail } from './useDevice'

/** Revokes at once; the note about it offers to undo that. */
export function RevokeButton({ device }: { device: DeviceDetail }) {
  const revocation = useRevocation()
  const path = { app: device.app, device: device.device }
  const revoked = device.revoked_at !== null
  return (
    <GuardedButton
      missing={missing(useRights(), 'manage keys', `app:${device.app}`)}
      variant="default"
      leftSection={revoked ? <Undo2 size={14} aria-hidden="true" /> : <Ban size={14} aria-hidden="true" />}
      loading={revocation.isPending}
      onClick={() => revocation.mutate({ path, revoke: !revoked })}
    >
      {revoked ? 'Reinstate' : 'Revoke'}
    </GuardedButton>
  )
}
