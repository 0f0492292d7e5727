import { Button, Modal, TextInput } from '@mantine/core'
import { useState, type ReactNode } from 'react'
import classes from './components.module.css'

type Props = {
  opened: boolean
  title: string
  /** The text to type: the number of devices that will be reached, or a name; nothing has to be typed if left out. */
  expected?: string
  /** A description of that text, such as "the number of devices". */
  what?: string
  /** A reason without which it is not done; `label` names it if it is none. */
  reason?: { value: string; onChange: (reason: string) => void; label?: string }
  /** What will happen. */
  children: ReactNode
  confirm: string
  danger?: boolean
  busy?: boolean
  onConfirm: () => void
  onClose: () => void
}

/** A dialog in which people type what they are about to reach, or say why, for actions that many devices feel. */
export function TypedConfirm(props: Props) {
  return (
    <Modal opened={props.opened} onClose={props.onClose} title={props.title}>
      <TypedForm key={props.expected ?? ''} {...props} />
    </Modal>
  )
}

function TypedForm({ expected, what, reason, children, confirm, danger, busy, onConfirm, onClose }: Props) {
  const [typed, setTyped] = useState('')
  const same = expected === undefined || plain(typed) === plain(expected)
  const isReady = same && reason?.value.trim() !== ''
  return (
    <form
      className={classes.confirm}
      onSubmit={(event) => {
        event.preventDefault()
        if (isReady) onConfirm()
      }}
    >
      <div>{children}</div>
      {reason && (
        <TextInput
          label={reason.label ?? 'Reason'}
          description="It is recorded in the history"
          value={reason.value}
          maxLength={2000}
          onChange={(event) => reason.onChange(event.currentTarget.value)}
          data-autofocus
        />
      )}
      {expected !== undefined && (
        <TextInput
          label={
            <>
              Type {what}, <code>{expected}</code>
            </>
          }
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          autoComplete="off"
          data-autofocus={!reason || undefined}
        />
      )}
      <div className={classes.actions}>
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button type="submit" color={danger ? 'red' : 'blue'} disabled={!isReady} loading={busy ?? false}>
          {confirm}
        </Button>
      </div>
    </form>
  )
}

/** Removes separators of numbers, with or without which they may be typed. */
function plain(text: string): string {
  return text.trim().replace(/(?<=\d)[,\s](?=\d)/g, '')
}
