import { Button, Modal, TextInput } from '@mantine/core'
import { useState, type ReactNode } from 'react'
import classes from './components.module.css'

type Props = {
  opened: boolean
  title: string
  /** The text to type: the number of devices that will be reached, or a name. */
  expected: string
  /** A description of that text, such as "the number of devices". */
  what: string
  /** What will happen. */
  children: ReactNode
  confirm: string
  danger?: boolean
  busy?: boolean
  onConfirm: () => void
  onClose: () => void
}

/** A dialog in which people type what they are about to reach, for actions that widen exposure and cannot be undone. */
export function TypedConfirm(props: Props) {
  return (
    <Modal opened={props.opened} onClose={props.onClose} title={props.title}>
      <TypedForm key={props.expected} {...props} />
    </Modal>
  )
}

function TypedForm({ expected, what, children, confirm, danger, busy, onConfirm, onClose }: Props) {
  const [typed, setTyped] = useState('')
  const same = plain(typed) === plain(expected)
  return (
    <form
      className={classes.confirm}
      onSubmit={(event) => {
        event.preventDefault()
        if (same) onConfirm()
      }}
    >
      <div>{children}</div>
      <TextInput
        label={
          <>
            Type {what}, <code>{expected}</code>
          </>
        }
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
        autoComplete="off"
        data-autofocus
      />
      <div className={classes.actions}>
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button type="submit" color={danger ? 'red' : 'blue'} disabled={!same} loading={busy ?? false}>
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
