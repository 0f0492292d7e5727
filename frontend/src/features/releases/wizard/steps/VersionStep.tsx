import { Select } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import { reading } from '@/api/reading'
import { EmptyState } from '@/components/EmptyState'
import { ErrorNote } from '@/components/ErrorNote'
import { Fact, Facts } from '@/components/Facts'
import { TaskLink } from '@/components/links'
import { RelativeTime } from '@/components/RelativeTime'
import { LinesSkeleton } from '@/components/Skeletons'
import { StatusMark } from '@/components/StatusMark'
import { withChosen } from '@/lib/choices'
import { bytes } from '@/lib/format'
import { useRights } from '@/hooks/useRights'
import { taskPath } from '@/lib/taskName'
import { scenarioOf } from '../../moves'
import { faultsAt, sentence, type Fault } from '../faults'
import { WarningList } from '../WarningList'
import type { StepProps } from '../Wizard'
import classes from '../fieldGrid.module.css'

const MOST = 200
// Few need it at once: it comes when a version is chosen.
const SinceInstalled = lazy(() => import('../SinceInstalled').then((found) => ({ default: found.SinceInstalled })))

/** The step for the version and the app. */
export function VersionStep({ draft, change, evaluation }: StepProps) {
  const [typed, setTyped] = useState('')
  const rights = useRights()
  const apps = useQuery(reading('/api/v1/apps', { query: { limit: MOST } }))
  const tasks = useQuery(reading('/api/v1/tasks', { query: { limit: MOST, retired: false } }))
  const searched = useQuery({
    ...reading('/api/v1/tasks', { query: { limit: MOST, retired: false, q: typed } }),
    // Most people have fewer tasks than one page; others type a part of the name.
    enabled: typed !== '' && tasks.data?.next !== null,
  })
  const error = apps.error ?? tasks.error
  if (error) return <ErrorNote error={error} retry={() => void Promise.all([apps.refetch(), tasks.refetch()])} />
  if (!apps.data || !tasks.data) return <LinesSkeleton lines={4} />
  const found = [...tasks.data.results, ...(searched.data?.results ?? [])].map(({ name }) => name)
  const names = new Set(found.filter((name) => rights.may('release', scenarioOf(name))))
  const faults = evaluation.faults.version
  return (
    <>
      <div className={classes.fields}>
        <Select
          label="App"
          description="Its devices receive the version"
          placeholder="Choose an app"
          searchable
          data={withChosen(
            apps.data.results.map(({ slug }) => slug),
            draft.app,
          )}
          value={draft.app || null}
          onChange={(app) => change({ app: app ?? '' })}
          error={draft.app ? faultText(faults, 'app') : undefined}
          nothingFoundMessage="No app of yours has this name."
        />
        <Select
          label="Task"
          description={rights.isStaff ? 'The task to release' : 'Tasks that you may release'}
          placeholder="Choose a task"
          searchable
          data={withChosen([...names], draft.task)}
          value={draft.task || null}
          onSearchChange={setTyped}
          onChange={(task) => change({ task: task ?? '', version: '' })}
          error={draft.task ? faultText(faults, 'task') : undefined}
          nothingFoundMessage="No task that you may release has this name."
        />
        {draft.task && (
          <VersionSelect key={draft.task} draft={draft} change={change} error={faultText(faults, 'version')} />
        )}
      </div>
      <WarningList warnings={evaluation.warnings.version} />
      {draft.task && draft.version && <ChosenVersion task={draft.task} version={draft.version} />}
      {draft.app && draft.task && draft.version && (
        <Suspense fallback={<LinesSkeleton lines={4} />}>
          <SinceInstalled app={draft.app} task={draft.task} version={draft.version} />
        </Suspense>
      )}
      {apps.data.results.length === 0 && (
        <EmptyState
          title={rights.isStaff ? 'No app yet' : 'You have no role in any app'}
          {...(rights.isStaff && { command: 'walle app create shop --name Shop' })}
        >
          Releases go to the devices of an app.{' '}
          {!rights.isStaff && 'Ask an owner of one, or site staff, for a role in it.'}
        </EmptyState>
      )}
    </>
  )
}

type SelectProps = Pick<StepProps, 'draft' | 'change'> & { error: string | undefined }

function VersionSelect({ draft, change, error }: SelectProps) {
  const path = taskPath(draft.task)
  const versions = useQuery(reading('/api/v1/tasks/{scenario}/{task}/versions', { path, query: { limit: MOST } }))
  if (versions.error) return <ErrorNote error={versions.error} retry={() => void versions.refetch()} />
  if (versions.data?.results.length === 0) {
    return (
      <EmptyState title="No version yet" command={`git tag ${path.task}/1.0.0 && git push --tags`}>
        Push a tag to the scenario’s repository to create one.
      </EmptyState>
    )
  }
  return (
    <Select
      label="Version"
      description="Highest version first"
      placeholder={versions.data ? 'Choose a version' : 'Loading'}
      disabled={!versions.data}
      searchable
      data={withChosen(
        versions.data?.results.map(({ version }) => version),
        draft.version,
      )}
      value={draft.version || null}
      onChange={(version) => change({ version: version ?? '' })}
      error={draft.version ? error : undefined}
      nothingFoundMessage="There is no such version."
    />
  )
}

function ChosenVersion({ task, version }: { task: string; version: string }) {
  const path = { ...taskPath(task), version }
  const found = useQuery(reading('/api/v1/tasks/{scenario}/{task}/versions/{version}', { path }))
  if (found.error) return <ErrorNote error={found.error} retry={() => void found.refetch()} />
  if (!found.data) return <LinesSkeleton lines={3} height={24} />
  const { message, author_name: author, tagged_at: taggedAt, total_size: size, files, quarantine, refusal } = found.data
  return (
    <Facts>
      <Fact name="Message">{message.trim() || '–'}</Fact>
      <Fact name="Tagged">
        <RelativeTime at={taggedAt} /> by {author}
      </Fact>
      <Fact name="Files">{`${files.length}, ${bytes(size)} shared`}</Fact>
      <Fact name="May be released">
        {quarantine ? (
          <StatusMark tone="bad">in quarantine: {quarantine.reason}</StatusMark>
        ) : refusal ? (
          <StatusMark tone="bad">nothing can run it: {refusal}</StatusMark>
        ) : (
          <StatusMark tone="ok">yes</StatusMark>
        )}
      </Fact>
      <Fact name="More">
        <TaskLink task={task} version={version}>
          Files and validation results
        </TaskLink>
      </Fact>
    </Facts>
  )
}

function faultText(faults: readonly Fault[], path: string): string | undefined {
  const [first] = faultsAt(faults, path)
  return first && sentence(first)
}
