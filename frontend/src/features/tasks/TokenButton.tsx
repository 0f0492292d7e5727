import { Button, Modal, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { answer, client } from '@/api/client'
import { CopyText } from '@/components/CopyText'
import { ErrorNote } from '@/components/ErrorNote'
import classes from './task.module.css'

/** Creates a token for git and the command, and shows its secret once. */
export function TokenButton() {
  const [opened, setOpened] = useState(false)
  return (
    <>
      <Button variant="default" onClick={() => setOpened(true)}>
        Create token
      </Button>
      <Modal opened={opened} onClose={() => setOpened(false)} title="Create token" closeOnClickOutside={false}>
        <Making />
      </Modal>
    </>
  )
}

function Making() {
  const [name, setName] = useState('')
  const making = useMutation({
    mutationFn: () => answer(client.POST('/api/v1/tokens', { body: { name: name.trim() } })),
    // The secret must not stay in the page's memory.
    gcTime: 0,
  })
  if (making.data) {
    return (
      <div className={classes.lifting}>
        <p>The token has your permissions. Copy it now: it is not shown again.</p>
        <CopyText block text={making.data.secret} label="token" />
      </div>
    )
  }
  return (
    <form
      className={classes.lifting}
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
      {making.error && <ErrorNote error={making.error} />}
      <Button type="submit" disabled={name.trim() === ''} loading={making.isPending}>
        Create token
      </Button>
    </form>
  )
}
