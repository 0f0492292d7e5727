import { Button, Switch } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { KeyRound } from 'lucide-react'
import { useState } from 'react'
import { answer, client } from '@/api/client'
import { keyOf } from '@/api/reading'
import { EmptyState } from '@/components/EmptyState'
import { ErrorNote } from '@/components/ErrorNote'
import { Panel } from '@/components/Page'
import { RelativeTime } from '@/components/RelativeTime'
import { LinesSkeleton } from '@/components/Skeletons'
import { StatusMark } from '@/components/StatusMark'
import { NumberCell, Table, TextCell } from '@/components/Table'
import { TokenButton } from '@/components/TokenButton'
import { TypedConfirm } from '@/components/TypedConfirm'
import { doneToast, refusedToast } from '@/components/toasts'
import { useFilters } from '@/hooks/useFilters'
import { useClock } from '@/hooks/useNow'
import { usePages } from '@/hooks/usePages'
import { reachInWords, tokenState, type Token } from '@/lib/tokens'
import type { AccountSearch } from './search'
import classes from './account.module.css'

const TOKENS = '/api/v1/tokens'
const MINUTE_MS = 60_000

/** The person's tokens: what each may do, when it was used last, and revoking it. */
export function TokensPanel() {
  const [{ tokens }, setFilters] = useFilters<AccountSearch>()
  const found = usePages(TOKENS, { query: { limit: 200 } })
  const minute = useClock((time) => Math.floor(time / MINUTE_MS))
  const [leaving, setLeaving] = useState<Token | null>(null)
  const showsAll = tokens === 'all'
  const rows = found.rows.filter((token) => showsAll || !tokenState(token, minute * MINUTE_MS).isOver)
  const actions = (
    <div className={classes.head}>
      <Switch
        label="Show revoked and expired"
        checked={showsAll}
        onChange={(event) => setFilters({ tokens: event.currentTarget.checked ? 'all' : undefined })}
      />
      <TokenButton variant="filled" />
    </div>
  )
  return (
    <Panel title="Tokens" beside={actions}>
      <p className="note">Programs, git and the command line use a token in your name; nobody needs your password.</p>
      {found.error && <ErrorNote error={found.error} retry={found.refetch} />}
      {found.isLoading && <LinesSkeleton lines={3} />}
      {!found.isLoading && !found.error && rows.length === 0 && (
        <EmptyState title={showsAll ? 'You have not created a token yet' : 'You have no valid token'} icon={KeyRound}>
          Create one, and give it to the program that needs it.
        </EmptyState>
      )}
      {rows.length > 0 && (
        <Table
          label="Your tokens"
          columns={[
            'Purpose',
            'Begins with',
            'May',
            'Created',
            'Last used',
            'Expires',
            'State',
            { title: <Hidden />, is: 'end' },
          ]}
          minWidth={880}
        >
          {rows.map((token) => (
            <TokenRow key={token.prefix} token={token} now={minute * MINUTE_MS} onRevoke={() => setLeaving(token)} />
          ))}
        </Table>
      )}
      {found.hasMore && (
        <Button variant="default" loading={found.isLoadingMore} onClick={found.loadMore}>
          Show more
        </Button>
      )}
      <Revocation token={leaving} onClose={() => setLeaving(null)} />
    </Panel>
  )
}

function Hidden() {
  return <span className="visually-hidden">Actions</span>
}

function TokenRow({ token, now, onRevoke }: { token: Token; now: number; onRevoke: () => void }) {
  const { tone, word, isOver } = tokenState(token, now)
  return (
    <tr>
      <th scope="row">{token.name}</th>
      <td>
        <code>{token.prefix}</code>
      </td>
      <TextCell>{reachInWords(token)}</TextCell>
      <td>
        <RelativeTime at={token.created_at} />
      </td>
      <td>
        <RelativeTime at={token.last_used_at} />
      </td>
      <td>
        <RelativeTime at={token.expires_at} />
      </td>
      <td>
        <StatusMark tone={tone}>{word}</StatusMark>
      </td>
      <NumberCell>
        {!isOver && (
          <Button variant="default" size="compact-sm" onClick={onRevoke} aria-label={`Revoke ${token.name}`}>
            Revoke
          </Button>
        )}
      </NumberCell>
    </tr>
  )
}

function Revocation({ token, onClose }: { token: Token | null; onClose: () => void }) {
  const queries = useQueryClient()
  const revoking = useMutation({
    mutationFn: ({ prefix }: Token) =>
      answer(client.POST('/api/v1/tokens/{token}/revoke', { params: { path: { token: prefix } } })),
    onSuccess: (_, { name }) => {
      doneToast(`Revoked the token ${name}`)
      void queries.invalidateQueries({ queryKey: keyOf(TOKENS) })
    },
    onError: (error, { name }) => refusedToast(`The token ${name} was not revoked`, error),
    onSettled: onClose,
  })
  return (
    <TypedConfirm
      opened={token !== null}
      danger
      title={`Revoke ${token?.name ?? ''}`}
      confirm="Revoke"
      busy={revoking.isPending}
      onClose={onClose}
      onConfirm={() => token && revoking.mutate(token)}
    >
      Whatever uses the token <code>{token?.prefix}</code> is refused from now on. This cannot be undone; a new token
      can take its place.
    </TypedConfirm>
  )
}
