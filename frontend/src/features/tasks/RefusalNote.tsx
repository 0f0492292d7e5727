import { ShieldAlert } from 'lucide-react'
import { PageLink } from '@/components/links'
import { Notice } from '@/components/Notice'

/** Why nothing can run a version, so that it is not released, and what to do. */
export function RefusalNote({ refusal, kind }: { refusal: string; kind: string }) {
  return (
    <Notice role="note" tone="bad" icon={ShieldAlert}>
      <strong>Nothing can run this version: {refusal}</strong>
      {kind === 'workflow' ? (
        <p>
          It is not released as it is. Apply a plan to it: on the page of its workflow under{' '}
          <PageLink to="/placements" />, or with <code>walle workflow apply</code>.
        </p>
      ) : (
        <p>So it is not released, by anybody. Push a corrected version.</p>
      )}
    </Notice>
  )
}
