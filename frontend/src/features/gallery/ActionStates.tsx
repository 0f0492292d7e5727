import { Button } from '@mantine/core'
import { useState } from 'react'
import { ButtonLink } from '@/components/ButtonLink'
import { GuardedButton } from '@/components/GuardedButton'
import { TypedConfirm } from '@/components/TypedConfirm'
import { State, States } from './States'

type Asked = { reason?: boolean; expected?: string; what?: string; danger?: boolean; busy?: boolean }
const DIALOGS = {
  'a question': {},
  'a number to type': { expected: '1,204', what: 'the number of devices' },
  'a reason': { reason: true },
  'dangerous, with both': { expected: '1.2.0', what: 'the version', reason: true, danger: true },
  'on its way': { busy: true },
} satisfies Record<string, Asked>

/** Buttons, and the dialogs before what many devices feel. */
export function ActionStates() {
  return (
    <>
      <States of="GuardedButton" about="tells whoever may not why, and whom to ask">
        <State name="allowed">
          <GuardedButton missing={null}>Release</GuardedButton>
        </State>
        <State name="on its way">
          <GuardedButton missing={null} loading>
            Release it
          </GuardedButton>
        </State>
        <State name="not allowed">
          <GuardedButton missing="This requires the role releaser or owner in scenario camera. Ask ada.">
            Release all
          </GuardedButton>
        </State>
        <State name="a link">
          <ButtonLink to="/tasks" variant="default">
            Tasks
          </ButtonLink>
        </State>
      </States>
      <States of="TypedConfirm" about="asks for what is about to be reached, or why">
        {Object.keys(DIALOGS).map((name) => (
          <State key={name} name={name}>
            <Dialog name={name as keyof typeof DIALOGS} />
          </State>
        ))}
      </States>
    </>
  )
}

function Dialog({ name }: { name: keyof typeof DIALOGS }) {
  const [opened, setOpened] = useState(false)
  const [reason, setReason] = useState('')
  const { reason: asks, ...props }: Asked = DIALOGS[name]
  const close = () => setOpened(false)
  return (
    <>
      <Button variant="default" onClick={() => setOpened(true)}>
        Open: {name}
      </Button>
      <TypedConfirm
        {...props}
        {...(asks && { reason: { value: reason, onChange: setReason } })}
        opened={opened}
        title={name}
        confirm="Do it"
        onClose={close}
        onConfirm={close}
      >
        Some words about what will happen.
      </TypedConfirm>
    </>
  )
}
