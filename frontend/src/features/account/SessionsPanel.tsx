import { Button } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { answer, client } from '@/api/client'
import { keyOf } from '@/api/reading'
import { ErrorNote } from '@/components/ErrorNote'
import { Panel } from '@/components/Page'
import { RelativeTime } from '@/components/RelativeTime'
import { LinesSkeleton } from '@/components/Skeletons'
import { StatusMark } from '@/components/StatusMark'
import { Table, TextCell } from '@/components/Table'
import { TypedConfirm } from '@/components/TypedConfirm'
import { doneToast, refusedToast } from '@/components/toasts'
import { usePages } from '@/hooks/usePages'
import classes from './account.module.css'
import { browserName } from './browserName'

const SESSIONS = '/api/v1/sessions'

/** Where the person is logged in; each session but the present one can be ended. */
export function SessionsPanel() {
  const { rows, error, isLoading, refetch, hasMore, isLoadingMore, loadMore } = usePages(SESSIONS, {
    query: { limit: 50 },
  })
  const [isAsking, setIsAsking] = useState(false)
  const queries = useQueryClient()
  const ending = useMutation({
    mutationFn: (session: number | 'others') =>
      session === 'others'
        ? answer(client.DELETE(SESSIONS))
        : answer(client.DELETE('/api/v1/sessions/{session}', { params: { path: { session } } })),
    onSuccess: (_, session) => doneToast(session === 'others' ? 'Ended all other sessions' : 'Ended the session'),
    onError: (problem) => refusedToast('No session was ended', problem),
    onSettled: () => queries.invalidateQueries({ queryKey: keyOf(SESSIONS) }),
  })
  const endOthers = (
    <Button variant="default" onClick={() => setIsAsking(true)}>
      End all others
    </Button>
  )
  return (
    <Panel title="Sessions" beside={endOthers}>
      {error && <ErrorNote error={error} retry={refetch} />}
      {isLoading && <LinesSkeleton lines={2} />}
      {rows.length > 0 && (
        <Table
          label="Your sessions"
          columns={['Browser', 'Logged in', 'Last seen', { title: <span className="visually-hidden">Actions</span> }]}
          minWidth={560}
        >
          {rows.map(({ id, user_agent: agent, began_at: began, seen_at: seen, current }) => (
            <tr key={id}>
              <TextCell title={agent}>{browserName(agent)}</TextCell>
              <td>
                <RelativeTime at={began} />
              </td>
              <td>{current ? <StatusMark tone="ok">this session</StatusMark> : <RelativeTime at={seen} />}</td>
              <td className={classes.action}>
                {!current && (
                  <Button
                    variant="default"
                    size="compact-sm"
                    aria-label={`End the session of ${agent ? browserName(agent) : 'an unknown browser'}`}
                    onClick={() => ending.mutate(id)}
                  >
                    End
                  </Button>
                )}
              </td>
            </tr>
          ))}
        </Table>
      )}
      {hasMore && (
        <Button variant="default" loading={isLoadingMore} onClick={loadMore}>
          Show more
        </Button>
      )}
      <TypedConfirm
        opened={isAsking}
        danger
        title="End all other sessions"
        confirm="End them"
        onClose={() => setIsAsking(false)}
        onConfirm={() => {
          setIsAsking(false)
          ending.mutate('others')
        }}
      >
        You will be logged out in every other browser. Tokens stay valid.
      </TypedConfirm>
    </Panel>
  )
}
