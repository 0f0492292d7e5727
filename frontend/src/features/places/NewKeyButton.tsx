import { Button, Modal, NativeSelect, TextInput } from '@mantine/core'
import { useState } from 'react'
import { ApiProblem } from '@/api/problem'
import { CopyText } from '@/components/CopyText'
import { ErrorNote } from '@/components/ErrorNote'
import { GuardedButton } from '@/components/GuardedButton'
import { KIND_OPTIONS, NEXT_STEP, type KeyKind } from './keys'
import { useNewKey } from './useKeys'
import classes from './places.module.css'

/** Creates a key of the app, and shows its text once. */
export function NewKeyButton({ app, refusal }: { app: string; refusal: string | null }) {
  const [opened, setOpened] = useState(false)
  return (
    <>
      <GuardedButton missing={refusal} onClick={() => setOpened(true)}>
        New key
      </GuardedButton>
      <Modal opened={opened} onClose={() => setOpened(false)} title="New key" closeOnClickOutside={false}>
        <KeyForm app={app} onDone={() => setOpened(false)} />
      </Modal>
    </>
  )
}

function KeyForm({ app, onDone }: { app: string; onDone: () => void }) {
  const [kind, setKind] = useState<KeyKind>('enrol')
  const [label, setLabel] = useState('')
  const [publicKey, setPublicKey] = useState('')
  const making = useNewKey(app)
  const problem = making.error instanceof ApiProblem ? making.error : null
  const [ofLabel, ofKey] = [problem?.about('label'), problem?.about('public_key')]
  const isBackend = kind === 'backend'
  if (making.data) {
    const { text } = making.data
    return (
      <div className={classes.form}>
        {text && <div>Copy the key now: it is not shown again.</div>}
        {text && <CopyText block text={text} label="key" />}
        <div>{NEXT_STEP[making.data.kind]}</div>
        <Button onClick={onDone}>Done</Button>
      </div>
    )
  }
  return (
    <form
      className={classes.form}
      onSubmit={(event) => {
        event.preventDefault()
        making.mutate({ kind, label: label.trim(), ...(isBackend ? { public_key: publicKey.trim() } : {}) })
      }}
    >
      <NativeSelect
        label="Kind"
        data={KIND_OPTIONS}
        value={kind}
        onChange={(event) => setKind(event.currentTarget.value as KeyKind)}
      />
      <TextInput
        label="Purpose"
        placeholder="release build"
        maxLength={80}
        value={label}
        error={ofLabel}
        onChange={(event) => setLabel(event.currentTarget.value)}
        data-autofocus
      />
      {isBackend && (
        <TextInput
          label="Public key"
          description="Ed25519, 64 hex digits; the private half stays with your backend"
          spellCheck={false}
          value={publicKey}
          error={ofKey}
          onChange={(event) => setPublicKey(event.currentTarget.value)}
        />
      )}
      {making.error && !ofLabel && !ofKey && <ErrorNote error={making.error} />}
      <Button
        type="submit"
        disabled={label.trim() === '' || (isBackend && publicKey.trim() === '')}
        loading={making.isPending}
      >
        Create key
      </Button>
    </form>
  )
}
