import { Button, Modal, MultiSelect, Select, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { answer, client } from '@/api/client'
import { keyOf } from '@/api/reading'
import { serverNow } from '@/lib/serverClock'
import { expiryOf, LIFETIMES, PERMISSIONS, type Lifetime, type Permission } from '@/lib/tokens'
import { CopyText } from './CopyText'
import { ErrorNote } from './ErrorNote'
import { ScopesField } from './ScopesField'
import classes from './components.module.css'

type Props = { variant?: 'default' | 'filled' }

/** Creates a token for git, the command and programs, and shows its secret once. */
export function TokenButton({ variant = 'default' }: Props) {
  const [opened, setOpened] = useState(false)
  return (
    <>
      <Button variant={variant} onClick={() => setOpened(true)}>
        Create token
      </Button>
      <Modal opened={opened} onClose={() => setOpened(false)} title="Create token" closeOnClickOutside={false}>
        <Making onDone={() => setOpened(false)} />
      </Modal>
    </>
  )
}

function Making({ onDone }: { onDone: () => void }) {
  const [name, setName] = useState('')
  const [lifetime, setLifetime] = useState<Lifetime>('90')
  const [scopes, setScopes] = useState<string[]>([])
  const [permissions, setPermissions] = useState<string[]>([])
  const queries = useQueryClient()
  const making = useMutation({
    mutationFn: () => {
      const limits = { scopes, permissions: permissions as Permission[] }
      const body = { name: name.trim(), expires_at: expiryOf(lifetime, serverNow()), ...limits }
      return answer(client.POST('/api/v1/tokens', { body }))
    },
    onSuccess: () => queries.invalidateQueries({ queryKey: keyOf('/api/v1/tokens') }),
    // The secret must not stay in the page's memory.
    gcTime: 0,
  })
  if (making.data) return <Made secret={making.data.secret} onDone={onDone} />
  return (
    <form
      className={classes.confirm}
      onSubmit={(event) => {
        event.preventDefault()
        making.mutate()
      }}
    >
      <TextInput
        label="Purpose"
        placeholder="git on my laptop"
        maxLength={80}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        data-autofocus
      />
      <Select
        label="Expires"
        data={LIFETIMES}
        value={lifetime}
        allowDeselect={false}
        onChange={(chosen) => setLifetime(chosen ?? '90')}
      />
      <ScopesField label="Where" placeholder="Everywhere" value={scopes} onChange={setScopes} />
      <MultiSelect
        label="For what"
        description="A token can always view; it can never do more than you can"
        placeholder={permissions.length > 0 ? '' : 'Everything that you may do'}
        data={[...PERMISSIONS]}
        value={permissions}
        onChange={setPermissions}
        clearable
      />
      {making.error && <ErrorNote error={making.error} />}
      <Button type="submit" disabled={name.trim() === ''} loading={making.isPending}>
        Create token
      </Button>
    </form>
  )
}

function Made({ secret, onDone }: { secret: string; onDone: () => void }) {
  return (
    <div className={classes.confirm}>
      <div>Copy the token now: it is not shown again. Whoever has it may do what it may.</div>
      <CopyText block text={secret} label="token" />
      <div className={classes.actions}>
        <Button onClick={onDone}>Done</Button>
      </div>
    </div>
  )
}
