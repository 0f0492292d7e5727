import { Ban, CircleDashed, Wifi } from 'lucide-react'
import { StatusMark } from '@/components/StatusMark'
import { stateOf } from './deviceState'

type Props = {
  device: { last_seen: string; revoked_at: string | null }
  /** When the device was read, in milliseconds since 1970. */
  readAt: number
}

export function DeviceMark({ device, readAt }: Props) {
  switch (stateOf(device, readAt)) {
    case 'revoked':
      return (
        <StatusMark tone="bad" icon={Ban}>
          Revoked
        </StatusMark>
      )
    case 'online':
      return (
        <StatusMark tone="ok" icon={Wifi}>
          Online
        </StatusMark>
      )
    case 'away':
      return (
        <StatusMark tone="none" icon={CircleDashed}>
          Away
        </StatusMark>
      )
  }
}
