import { Button } from '@mantine/core'
import { useState } from 'react'
import type { ReleaseDetail } from '@/api/schemas'
import { EmptyState } from '@/components/EmptyState'
import { ErrorNote } from '@/components/ErrorNote'
import { JsonDetails } from '@/components/JsonDetails'
import { Panel } from '@/components/Page'
import { RelativeTime } from '@/components/RelativeTime'
import { LinesSkeleton } from '@/components/Skeletons'
import { Table, TextCell } from '@/components/Table'
import { entrySentence, reasonOf } from './auditTrail'
import { useAuditTrail } from './useAuditTrail'
import classes from './releases.module.css'

const SHOWN = 50

/** The audit trail of the release: by whom, when, why. */
export default function AuditTrail({ release, isWatched }: { release: ReleaseDetail; isWatched: boolean }) {
  const { entries, error, isLoading, hasMore, loadMore, refetch } = useAuditTrail(release.id, isWatched)
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
        <Table label="Audit trail" columns={['Time', 'What happened', { title: 'Reason', is: 'wide' }, 'Details']}>
          {entries.slice(0, shown).map((entry) => (
            <tr key={entry.id} data-entry={entry.id}>
              <td>
                <RelativeTime at={entry.at} />
              </td>
              <th scope="row" className={classes.sentence}>
                {entrySentence(entry, release.stages)}
              </th>
              <TextCell>{reasonOf(entry)}</TextCell>
              <td>
                <JsonDetails
                  label={`${entry.action}, entry ${entry.id}`}
                  value={{ action: entry.action, before: entry.before, after: entry.after }}
                />
              </td>
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
