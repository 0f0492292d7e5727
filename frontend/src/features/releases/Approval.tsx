import { useQuery } from '@tanstack/react-query'
import { UserRoundCheck } from 'lucide-react'
import { reading } from '@/api/reading'
import type { ReleaseDetail } from '@/api/schemas'
import { Notice } from '@/components/Notice'
import { useRights } from '@/hooks/useRights'
import { taskPath } from '@/lib/taskName'
import { approversAmong, inWords } from './approvers'
import { obstacle, scenarioOf } from './moves'

const MOST = 200

/** Shows who can approve a release that waits for approval, and why the present person cannot. */
export function Approval({ release }: { release: ReleaseDetail }) {
  const rights = useRights()
  if (release.state !== 'awaiting-approval' || !rights.isKnown) return null
  // People who do not see the scenario or the app do not learn its members.
  const seesMembers = rights.may('view', scenarioOf(release.task)) && rights.may('view', `app:${release.app}`)
  const refusal = obstacle(rights, 'approve', release)
  return (
    <section aria-label="Approval" data-approval={refusal === null ? 'yours' : 'of-others'}>
      <Notice role="note" tone="attention" icon={UserRoundCheck}>
        <strong>This release waits for approval.</strong>{' '}
        {refusal ?? `${release.created_by} created it; you can approve or reject it.`}
        {refusal !== null && seesMembers && <Others release={release} />}
      </Notice>
    </section>
  )
}

function Others({ release }: { release: ReleaseDetail }) {
  const query = { limit: MOST }
  const { app } = release
  const { scenario } = taskPath(release.task)
  const ofScenario = useQuery(reading('/api/v1/scenarios/{scenario}/members', { path: { scenario }, query }))
  const ofApp = useQuery(reading('/api/v1/apps/{app}/members', { path: { app }, query }))
  if (!ofScenario.data || !ofApp.data) return null
  const who = approversAmong(ofScenario.data.results, ofApp.data.results, release.created_by)
  return <p className="note">{`Possible approvers: ${inWords(who)}.`}</p>
}
