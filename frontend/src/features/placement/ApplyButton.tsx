import { Button, Modal, MultiSelect, Select, Textarea, TextInput } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { ErrorNote } from '@/components/ErrorNote'
import { GuardedButton } from '@/components/GuardedButton'
import { useRights } from '@/hooks/useRights'
import { missing } from '@/lib/rights'
import { taskPath } from '@/lib/taskName'
import { problemOf, type Placement } from './answer'
import { useApply } from './usePlacements'
import classes from './placement.module.css'

type Props = { placement: Placement; index: number }

/** Makes a version of one of the best plans of a placement, and leads to it. */
export function ApplyButton({ placement, index }: Props) {
  const [opened, setOpened] = useState(false)
  const rights = useRights()
  return (
    <>
      <GuardedButton
        variant="default"
        missing={missing(rights, 'push', `scenario:${placement.scenario}`)}
        onClick={() => setOpened(true)}
      >
        Apply as a version
      </GuardedButton>
      <Modal opened={opened} onClose={() => setOpened(false)} title={`Apply plan ${index + 1} as a version`}>
        <ApplyForm placement={placement} index={index} />
      </Modal>
    </>
  )
}

const SPANNING = [
  { value: 'device', label: 'on the device' },
  { value: 'cloud', label: 'in the cloud' },
]

function ApplyForm({ placement, index }: Props) {
  const [task, setTask] = useState(placement.workflow)
  const [version, setVersion] = useState('')
  const [tiers, setTiers] = useState<string[]>([])
  const [spanning, setSpanning] = useState<string | null>(null)
  const [reason, setReason] = useState('')
  const navigate = useNavigate()
  const apply = useApply(placement.id, (made) => {
    void navigate({
      to: '/tasks/$scenario/$task',
      params: taskPath(made.task),
      search: { version: made.version },
    })
  })
  const send = () =>
    apply.mutate({
      task: task.trim(),
      version: version.trim(),
      plan: index + 1,
      device_tiers: tiers,
      ...(spanning !== null && { spanning: spanning as 'device' | 'cloud' }),
      ...(reason.trim() && { reason: reason.trim() }),
    })
  const names = problemOf(placement).infrastructure.tiers.map(({ name }) => name)
  return (
    <form
      className={classes.form}
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      <TextInput
        label="Task"
        description={`Of the kind workflow, in ${placement.scenario}: the plan is applied to its highest version.`}
        value={task}
        onChange={(event) => setTask(event.currentTarget.value)}
      />
      <TextInput
        label="New version"
        placeholder="1.1.0"
        value={version}
        onChange={(event) => setVersion(event.currentTarget.value)}
        data-autofocus
      />
      <MultiSelect
        label="Tiers that are the device"
        placeholder={tiers.length === 0 ? (names[0] ?? '') : ''}
        data={names}
        value={tiers}
        onChange={setTiers}
      />
      <Select
        label="Operators with workers of both run"
        placeholder="such a plan is refused"
        data={SPANNING}
        value={spanning}
        onChange={setSpanning}
        clearable
      />
      <Textarea label="Reason" value={reason} onChange={(event) => setReason(event.currentTarget.value)} />
      {apply.error && <ErrorNote error={apply.error} />}
      <Button type="submit" loading={apply.isPending} disabled={task.trim() === '' || version.trim() === ''}>
        Apply
      </Button>
    </form>
  )
}
