import { Button, NativeSelect } from '@mantine/core'
import { useState } from 'react'
import { ErrorNote } from '@/components/ErrorNote'
import { GuardedButton } from '@/components/GuardedButton'
import { Panel } from '@/components/Page'
import { RelativeTime } from '@/components/RelativeTime'
import { LinesSkeleton } from '@/components/Skeletons'
import { NumberCell, Table } from '@/components/Table'
import { TypedConfirm } from '@/components/TypedConfirm'
import { refusedToast, undoToast } from '@/components/toasts'
import { useRights } from '@/hooks/useRights'
import { missing } from '@/lib/rights'
import { ROLE_NAMES, ROLES, type Role } from '@/lib/roles'
import { NewMember } from './NewMember'
import { scopeOf, type Place } from './place'
import { useMemberChange, useMembers, type Member } from './useMembers'
import classes from './places.module.css'

const LAST_OWNER = 'The only owner can neither go nor change. Make somebody else an owner first.'

/** Who holds which role here; owners add people, exchange roles and withdraw them. */
export function MembersPanel({ place }: { place: Place }) {
  const { rows, error, isLoading, refetch, hasMore, isLoadingMore, loadMore } = useMembers(place)
  const refusal = missing(useRights(), 'manage members', scopeOf(place))
  return (
    <Panel title="Members">
      {refusal !== null && <p className="note">{refusal}</p>}
      {error && <ErrorNote error={error} retry={refetch} />}
      {isLoading && <LinesSkeleton lines={3} />}
      {!isLoading && rows.length === 0 && !error && (
        <p className="note">Nobody has a role here yet: only site staff see it.</p>
      )}
      {rows.length > 0 && (
        <Table
          label="Members"
          columns={['User', 'Role', 'Since', { title: <span className="visually-hidden">Actions</span>, is: 'end' }]}
          minWidth={440}
        >
          {rows.map((member) => (
            <MemberRow key={`${member.user} ${member.role}`} place={place} member={member} refusal={refusal} />
          ))}
        </Table>
      )}
      {hasMore && (
        <Button variant="default" loading={isLoadingMore} onClick={loadMore}>
          Show more
        </Button>
      )}
      {refusal === null && <NewMember place={place} />}
      <dl className={classes.roles}>
        {ROLE_NAMES.map((role) => (
          <div key={role}>
            <dt>{role}</dt>
            <dd>{ROLES[role]}</dd>
          </div>
        ))}
      </dl>
    </Panel>
  )
}

type RowProps = { place: Place; member: Member; refusal: string | null }

function MemberRow({ place, member, refusal }: RowProps) {
  const { user, role, last_owner: isLast } = member
  return (
    <tr>
      <th scope="row">{user}</th>
      <td>
        {refusal === null && !isLast ? <RoleField place={place} member={member} /> : role}
        {isLast && <span className="muted"> (the only one)</span>}
      </td>
      <td>
        <RelativeTime at={member.created_at} />
      </td>
      <NumberCell>
        <RemoveButton place={place} member={member} refusal={refusal ?? (isLast ? LAST_OWNER : null)} />
      </NumberCell>
    </tr>
  )
}

function RoleField({ place, member: { user, role } }: Omit<RowProps, 'refusal'>) {
  const change = useMemberChange(place)
  const put = (from: Role, to: Role) => {
    change.mutate(
      { does: 'exchange', user, role: from, new: to },
      {
        onSuccess: () => undoToast(`${user} is now ${to}`, () => put(to, from), `role of ${user}`),
        onError: (error) => refusedToast(`${user} stays ${from}`, error),
      },
    )
  }
  return (
    <NativeSelect
      aria-label={`Role of ${user}`}
      size="xs"
      className={classes.role}
      data={ROLE_NAMES}
      value={role}
      disabled={change.isPending}
      onChange={(event) => put(role, event.currentTarget.value as Role)}
    />
  )
}

function RemoveButton({ place, member: { user, role }, refusal }: RowProps) {
  const [isAsking, setIsAsking] = useState(false)
  const { username } = useRights()
  const change = useMemberChange(place)
  // What they take from themselves, people cannot give back to themselves.
  const isOwn = user === username && role === 'owner'
  const remove = () => {
    setIsAsking(false)
    change.mutate(
      { does: 'withdraw', user, role },
      {
        onSuccess: () => {
          const back = () => change.mutate({ does: 'grant', user, role }, { onError: refused })
          if (!isOwn) undoToast(`${user} is no ${role} any more`, back, `role of ${user}`)
        },
        onError: refused,
      },
    )
  }
  const refused = (error: unknown) => refusedToast(`The role of ${user} was not changed`, error)
  return (
    <>
      <GuardedButton
        missing={refusal}
        variant="default"
        size="compact-sm"
        loading={change.isPending}
        aria-label={`Remove ${user} as ${role}`}
        onClick={() => (isOwn ? setIsAsking(true) : remove())}
      >
        Remove
      </GuardedButton>
      <TypedConfirm
        opened={isAsking}
        danger
        title="Give up your own role"
        confirm="Give it up"
        onClose={() => setIsAsking(false)}
        onConfirm={remove}
      >
        You will be no owner of {place.slug} any more, and cannot take the role back yourself.
      </TypedConfirm>
    </>
  )
}
