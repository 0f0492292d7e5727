import { Button, MultiSelect, Select, Textarea, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { ApiProblem } from '@/api/problem'
import { reading } from '@/api/reading'
import { ErrorNote } from '@/components/ErrorNote'
import { Fact, Facts } from '@/components/Facts'
import { Suggested } from '@/components/Suggested'
import { nextVersion } from '@/lib/nextVersion'
import { taskPath } from '@/lib/taskName'
import { problemOf, type Placement, type Plan } from './answer'
import { halvesOf, tiersOf, type Halves } from './halves'
import type { PlanPlace } from './planned'
import { useApply } from './usePlacements'
import classes from './placement.module.css'

const VERSIONS = 200
const SPANNING = [
  { value: 'device', label: 'on the device' },
  { value: 'cloud', label: 'in the cloud' },
]

type Props = { placement: Placement; plan: Plan; place: PlanPlace }

/** Asks of which task a plan becomes which version, shows what of it will run where, and applies it. */
export function ApplyForm({ placement, plan, place }: Props) {
  const problem = problemOf(placement)
  const [task, setTask] = useState(placement.workflow)
  const [base, setBase] = useState<string | null>(null)
  const [version, setVersion] = useState<string | null>(null)
  const [tiers, setTiers] = useState<string[]>(tiersOf(problem).slice(0, 1))
  const [spanning, setSpanning] = useState<string | null>(null)
  const [reason, setReason] = useState('')
  const { versions, fault } = useTaskVersions(placement.scenario, task)
  const navigate = useNavigate()
  const apply = useApply(placement.id, (made) => {
    void navigate({ to: '/tasks/$scenario/$task', params: taskPath(made.task), search: { version: made.version } })
  })
  const choose = (text: string) => {
    if (text.trim() === task) return
    setTask(text.trim())
    setBase(null)
  }
  const halves = halvesOf(problem, plan, tiers)
  const name = (version ?? nextVersion(versions[0])).trim()
  const isSaid = halves.spanning.length === 0 || spanning !== null
  const isComplete = versions.length > 0 && fault === undefined && name !== '' && tiers.length > 0 && isSaid
  const send = () =>
    apply.mutate({
      ...place,
      task,
      version: name,
      device_tiers: tiers,
      ...(base !== null && { base }),
      ...(halves.spanning.length > 0 && { spanning: spanning as 'device' | 'cloud' }),
      ...(reason.trim() && { reason: reason.trim() }),
    })
  return (
    <form
      className={classes.form}
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      <Suggested label="Task" value={task} suggestions={[]} error={fault} onCommit={choose} />
      <Select
        label="Apply to"
        description="The version whose sources are used"
        placeholder={versions[0] ? `${versions[0]}, the highest` : 'no version yet'}
        data={versions}
        value={base}
        onChange={setBase}
        clearable
        searchable
      />
      <TextInput
        label="New version"
        value={version ?? (versions.length > 0 ? name : '')}
        onChange={(event) => setVersion(event.currentTarget.value)}
        data-autofocus
      />
      <MultiSelect label="Tiers that are the device" data={tiersOf(problem)} value={tiers} onChange={setTiers} />
      {halves.spanning.length > 0 && (
        <Select
          label={`Where ${halves.spanning.join(' and ')} will run`}
          description="The plan has workers of both for it; in a version it runs in one place as a whole"
          placeholder="on the device, or in the cloud"
          withAsterisk
          data={SPANNING}
          value={spanning}
          onChange={setSpanning}
        />
      )}
      <Preview halves={halves} spanning={spanning} />
      <Textarea label="Reason" value={reason} onChange={(event) => setReason(event.currentTarget.value)} />
      {apply.error && <ErrorNote error={apply.error} />}
      <Button type="submit" loading={apply.isPending} disabled={!isComplete}>
        Apply
      </Button>
    </form>
  )
}

/** Returns the names of a task's versions, the highest first, and why no plan can be applied to them. */
function useTaskVersions(scenario: string, task: string): { versions: string[]; fault: string | undefined } {
  const { data, error } = useQuery({
    ...reading('/api/v1/tasks/{scenario}/{task}/versions', { path: { scenario, task }, query: { limit: VERSIONS } }),
    enabled: task !== '',
  })
  const name = `${scenario}/${task}`
  if (error instanceof ApiProblem && error.status === 404) return { versions: [], fault: noTask(name) }
  const rows = data?.results ?? []
  const isWorkflow = rows[0] === undefined || rows[0].kind === 'workflow'
  const fault = isWorkflow ? undefined : `${name} is no workflow: its versions are of the kind ${rows[0]?.kind ?? ''}.`
  return { versions: rows.map(({ version }) => version), fault }
}

function noTask(name: string): string {
  return `There is no task ${name}. Push the workflow’s sources first: walle version upload . ${name} 1.0.0`
}

function Preview({ halves, spanning }: { halves: Halves; spanning: string | null }) {
  const half = (where: 'device' | 'cloud') =>
    [...halves[where], ...(spanning === where ? halves.spanning : [])].join(', ') || 'nothing'
  return (
    <Facts>
      <Fact name="On the device">{half('device')}</Fact>
      <Fact name="In the cloud">{half('cloud')}</Fact>
    </Facts>
  )
}
