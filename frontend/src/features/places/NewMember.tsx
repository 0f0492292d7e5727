import { Button, NativeSelect, TextInput } from '@mantine/core'
import { useState } from 'react'
import { ApiProblem } from '@/api/problem'
import { ErrorNote } from '@/components/ErrorNote'
import { doneToast } from '@/components/toasts'
import { ROLE_NAMES, type Role } from '@/lib/roles'
import type { Place } from './place'
import { useMemberChange } from './useMembers'
import classes from './places.module.css'

/** Gives somebody a role by their user name. */
export function NewMember({ place }: { place: Place }) {
  const [user, setUser] = useState('')
  const [role, setRole] = useState<Role>('viewer')
  const change = useMemberChange(place)
  const atField = change.error instanceof ApiProblem ? change.error.about('user') : undefined
  const add = () => {
    const name = user.trim()
    change.mutate(
      { does: 'grant', user: name, role },
      {
        onSuccess: () => {
          setUser('')
          doneToast(`${name} is now ${role} of ${place.slug}`)
        },
      },
    )
  }
  return (
    <form
      className={classes.adding}
      aria-label="Add a member"
      onSubmit={(event) => {
        event.preventDefault()
        add()
      }}
    >
      <TextInput
        label="User name"
        autoComplete="off"
        spellCheck={false}
        maxLength={150}
        value={user}
        error={atField}
        onChange={(event) => {
          setUser(event.currentTarget.value)
          change.reset()
        }}
      />
      <NativeSelect
        label="Role"
        data={ROLE_NAMES}
        value={role}
        onChange={(event) => setRole(event.currentTarget.value as Role)}
      />
      <Button type="submit" disabled={user.trim() === ''} loading={change.isPending}>
        Add member
      </Button>
      {change.error && !atField && <ErrorNote error={change.error} />}
    </form>
  )
}
