import { Button } from '@mantine/core'
import { useState } from 'react'
import { EmptyState } from '@/components/EmptyState'
import { ErrorNote } from '@/components/ErrorNote'
import { Panel } from '@/components/Page'
import { RelativeTime } from '@/components/RelativeTime'
import { LinesSkeleton } from '@/components/Skeletons'
import { Table, TextCell } from '@/components/Table'
import { actionName, changeOf, reasonOf } from './auditTrail'
import { useAuditTrail } from './useAuditTrail'

const SHOWN = 50

/** The audit trail of the release: by whom, when, why. */
export default function AuditTrail({ release, isWatched }: { release: number; isWatched: boolean }) {
  const { entries, error, isLoading, hasMore, loadMore, refetch } = useAuditTrail(release, isWatched)
  const [shown, setShown] = useState(SHOWN)
  return (
    <Panel title="Audit trail">
      {error !== null && <ErrorNote error={error} retry={refetch} />}
      {isLoading && <LinesSkeleton />}
      {!isLoading && entries.length === 0 && error === null && (
        <EmptyState title="No entry that you may see">
          The audit trail of a release is visible to members of its task’s scenario.
        </EmptyState>
      )}
      {entries.length > 0 && (
        <Table label="Audit trail" columns={['Time', 'User', 'Action', 'Change', { title: 'Reason', is: 'wide' }]}>
          {entries.slice(0, shown).map((entry) => (
            <tr key={entry.id} data-entry={entry.id}>
              <td>
                <RelativeTime at={entry.at} />
              </td>
              <td>{entry.actor}</td>
              <th scope="row">{actionName(entry.action)}</th>
              <TextCell>{changeOf(entry)}</TextCell>
              <TextCell>{reasonOf(entry)}</TextCell>
            </tr>
          ))}
        </Table>
      )}
      {(hasMore || entries.length > shown) && (
        <div>
          <Button
            variant="default"
            onClick={() => {
              if (entries.length < shown + SHOWN && hasMore) loadMore()
              setShown(shown + SHOWN)
            }}
          >
            Show more
          </Button>
        </div>
      )}
    </Panel>
  )
}
