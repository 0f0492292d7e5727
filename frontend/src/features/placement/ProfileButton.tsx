import { Button, Modal, NumberInput, Select, TextInput } from '@mantine/core'
import { useState } from 'react'
import { ErrorNote } from '@/components/ErrorNote'
import { GuardedButton } from '@/components/GuardedButton'
import { useFilters } from '@/hooks/useFilters'
import { useRights } from '@/hooks/useRights'
import { missing } from '@/lib/rights'
import { profileChoices } from './profiles'
import type { PlacementRow } from './progress'
import type { WorkflowSearch } from './search'
import { useNewPlacement, type NewPlacement, type WorkflowPath } from './usePlacements'
import classes from './placement.module.css'

type Props = { path: WorkflowPath; placements: readonly PlacementRow[] }

/** Places a workflow by what is measured of its models: anew, or for a placement before. */
export function ProfileButton({ path, placements }: Props) {
  const [opened, setOpened] = useState(false)
  const rights = useRights()
  return (
    <>
      <GuardedButton
        variant="default"
        missing={missing(rights, 'simulate', `scenario:${path.scenario}`)}
        onClick={() => setOpened(true)}
      >
        Profile and place
      </GuardedButton>
      <Modal opened={opened} onClose={() => setOpened(false)} title="Profile and place">
        <ProfileForm path={path} placements={placements} onDone={() => setOpened(false)} />
      </Modal>
    </>
  )
}

const ANEW = 'anew'

function ProfileForm({ path, placements, onDone }: Props & { onDone: () => void }) {
  const [by, setBy] = useState(ANEW)
  const [task, setTask] = useState(path.workflow)
  const [version, setVersion] = useState('')
  const [seconds, setSeconds] = useState<number | string>(1)
  const [, setSearch] = useFilters<WorkflowSearch>()
  const start = useNewPlacement(path, (id) => {
    setSearch({ placement: String(id), plan: undefined })
    onDone()
  })
  const isAnew = by === ANEW
  const body: NewPlacement = isAnew
    ? {
        budget_s: 10,
        profile: { task: task.trim(), seconds: Number(seconds), ...(version.trim() && { version: version.trim() }) },
      }
    : { budget_s: 10, profiled_by: Number(by) }
  return (
    <form
      className={classes.form}
      onSubmit={(event) => {
        event.preventDefault()
        start.mutate(body)
      }}
    >
      <Select
        label="Latencies and accuracies"
        data={[{ value: ANEW, label: 'measured now' }, ...profileChoices(placements)]}
        value={by}
        onChange={(value) => setBy(value ?? ANEW)}
        allowDeselect={false}
      />
      {isAnew && (
        <>
          <TextInput
            label="Task"
            description={`Of the kind workflow, in ${path.scenario}: its code runs in a sandbox, on its validation data.`}
            value={task}
            onChange={(event) => setTask(event.currentTarget.value)}
            data-autofocus
          />
          <TextInput
            label="Version"
            placeholder="the highest"
            value={version}
            onChange={(event) => setVersion(event.currentTarget.value)}
          />
          <NumberInput
            label="Seconds for each model"
            min={0.01}
            max={30}
            step={1}
            value={seconds}
            onChange={setSeconds}
          />
        </>
      )}
      {start.error && <ErrorNote error={start.error} />}
      <Button type="submit" loading={start.isPending} disabled={isAnew && task.trim() === ''}>
        {isAnew ? 'Profile and place' : 'Place'}
      </Button>
    </form>
  )
}
