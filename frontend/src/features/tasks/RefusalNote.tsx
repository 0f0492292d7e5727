import { ShieldAlert } from 'lucide-react'
import { Notice } from '@/components/Notice'

/** Why nothing can run a version, so that it is not released. */
export function RefusalNote({ refusal }: { refusal: string }) {
  return (
    <Notice role="note" tone="bad" icon={ShieldAlert}>
      <strong>Nothing can run this version: {refusal}</strong>
      <p>So it is not released, by anybody. Push a corrected version.</p>
    </Notice>
  )
}
