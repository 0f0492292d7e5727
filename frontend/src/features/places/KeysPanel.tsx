import { Button } from '@mantine/core'
import { useState } from 'react'
import { ErrorNote } from '@/components/ErrorNote'
import { GuardedButton } from '@/components/GuardedButton'
import { Panel } from '@/components/Page'
import { RelativeTime } from '@/components/RelativeTime'
import { LinesSkeleton } from '@/components/Skeletons'
import { StatusMark } from '@/components/StatusMark'
import { NumberCell, Table } from '@/components/Table'
import { TypedConfirm } from '@/components/TypedConfirm'
import { useRights } from '@/hooks/useRights'
import { missing } from '@/lib/rights'
import { AFTER_REVOCATION, KINDS } from './keys'
import { NewKeyButton } from './NewKeyButton'
import { useKeyRevocation, type AppKey, type AppKeys } from './useKeys'

/** The keys of an app with their age: made here, shown once, revoked. */
export function KeysPanel({ app, found }: { app: string; found: AppKeys }) {
  const { rows, error, isLoading, refetch, hasMore, isLoadingMore, loadMore } = found
  const refusal = missing(useRights(), 'manage keys', `app:${app}`)
  const [leaving, setLeaving] = useState<AppKey | null>(null)
  return (
    <Panel title="Keys" beside={<NewKeyButton app={app} refusal={refusal} />}>
      <p className="note">
        To replace a key, create another one, put it where the old one is, and revoke the old one once nobody needs it
        any more. When a key was last used is not recorded.
      </p>
      {error && <ErrorNote error={error} retry={refetch} />}
      {isLoading && <LinesSkeleton lines={3} />}
      {rows.length > 0 && (
        <Table
          label="Keys"
          columns={[
            'Purpose',
            'Kind',
            'Created',
            'State',
            { title: <span className="visually-hidden">Actions</span>, is: 'end' },
          ]}
          minWidth={560}
        >
          {rows.map((key) => (
            <tr key={key.id}>
              <th scope="row">{key.label}</th>
              <td>{KINDS[key.kind]}</td>
              <td>
                <RelativeTime at={key.created_at} />
              </td>
              <td>
                {key.revoked_at ? (
                  <StatusMark tone="none">
                    revoked <RelativeTime at={key.revoked_at} />
                  </StatusMark>
                ) : (
                  <StatusMark tone="ok">valid</StatusMark>
                )}
              </td>
              <NumberCell>
                {!key.revoked_at && (
                  <GuardedButton
                    missing={refusal}
                    variant="default"
                    size="compact-sm"
                    aria-label={`Revoke ${key.label}`}
                    onClick={() => setLeaving(key)}
                  >
                    Revoke
                  </GuardedButton>
                )}
              </NumberCell>
            </tr>
          ))}
        </Table>
      )}
      {hasMore && (
        <Button variant="default" loading={isLoadingMore} onClick={loadMore}>
          Show more
        </Button>
      )}
      <Revocation app={app} leaving={leaving} onClose={() => setLeaving(null)} />
    </Panel>
  )
}

function Revocation({ app, leaving, onClose }: { app: string; leaving: AppKey | null; onClose: () => void }) {
  const revoking = useKeyRevocation(app)
  return (
    <TypedConfirm
      opened={leaving !== null}
      danger
      title={`Revoke ${leaving?.label ?? ''}`}
      confirm="Revoke"
      busy={revoking.isPending}
      onClose={onClose}
      onConfirm={() => leaving && revoking.mutate(leaving, { onSettled: onClose })}
    >
      {leaving && AFTER_REVOCATION[leaving.kind]} This cannot be undone.
    </TypedConfirm>
  )
}
