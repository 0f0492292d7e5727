import { Smartphone } from 'lucide-react'
import { emulateCommand } from '@/lib/commands'
import { EmptyState } from './EmptyState'

/** Replaces the devices of an app, or of all apps, before there are any. */
export function NoDeviceYet({ app }: { app: string | undefined }) {
  return (
    <EmptyState title="No device has checked in yet" icon={Smartphone} command={emulateCommand(location.origin, app)}>
      Devices appear at their first check-in with a key of their app. To try it with emulated devices:
    </EmptyState>
  )
}
