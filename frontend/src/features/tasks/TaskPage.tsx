import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { GitCompare } from 'lucide-react'
import { reading } from '@/api/reading'
import { ButtonLink } from '@/components/ButtonLink'
import { ErrorNote } from '@/components/ErrorNote'
import { PageLink } from '@/components/links'
import { Page, Panel, PanelRow, WIDE_AND_NARROW } from '@/components/Page'
import { PageHeader } from '@/components/PageHeader'
import { RelativeTime } from '@/components/RelativeTime'
import { StatusMark } from '@/components/StatusMark'
import { useFilters } from '@/hooks/useFilters'
import { HowToPush } from './HowToPush'
import { InstalledNow } from './InstalledNow'
import { useInstalled, useVersions } from '@/hooks/useTaskVersions'
import { useReleases } from './queries'
import type { TaskSearch } from './search'
import { RunsPanel } from './RunsPanel'
import { VersionPart } from './VersionPart'
import { latest } from '@/lib/versions'
import { VersionTable } from './VersionTable'
import classes from './task.module.css'

const route = getRouteApi('/tasks/$scenario/$task')

/** A task: its versions, where they are installed, and the version named in the address. */
export function TaskPage() {
  const { scenario, task } = route.useParams()
  const path = { scenario, task }
  const [{ version: chosen }] = useFilters<TaskSearch>()
  const found = useQuery(reading('/api/v1/tasks/{scenario}/{task}', { path }))
  const versions = useVersions(path)
  const releases = useReleases(path)
  const installed = useInstalled(path)
  const names = versions.rows.map(({ version }) => version)
  const shown = chosen ?? latest(names)

  const above = [
    <PageLink to="/tasks" />,
    <Link to="/tasks" search={{ scenario }}>
      {scenario}
    </Link>,
  ]
  const compare = names.length > 1 && (
    <ButtonLink
      variant="default"
      leftSection={<GitCompare size={14} aria-hidden="true" />}
      to="/tasks/$scenario/$task/diff"
      params={path}
    >
      Compare versions
    </ButtonLink>
  )
  const header = (
    <PageHeader
      title={`${scenario}/${task}`}
      above={above}
      beside={<TaskState retiredAt={found.data?.retired_at} known={found.data !== undefined} />}
      actions={compare}
      // An address becomes a recent page once it shows a task.
      passing={!found.data}
    />
  )
  return (
    <Page header={header} found={found}>
      <PanelRow tracks={WIDE_AND_NARROW}>
        <Panel title="Versions">
          {releases.error && !releases.data && (
            <ErrorNote error={releases.error} retry={() => void releases.refetch()} />
          )}
          <div className={classes.versions}>
            <VersionTable
              path={path}
              versions={versions}
              releases={releases.data}
              installed={installed.data}
              shown={shown}
            />
          </div>
        </Panel>
        <InstalledNow path={path} query={installed} />
      </PanelRow>
      <RunsPanel path={path} />
      {shown !== undefined && (
        <VersionPart
          path={path}
          version={shown}
          versions={names}
          releases={releases.data}
          installed={installed.data}
          isRetired={Boolean(found.data?.retired_at)}
        />
      )}
      {found.data?.retired_at === null && !versions.isLoading && !versions.error && (
        <HowToPush path={path} newest={names[0]} />
      )}
    </Page>
  )
}

function TaskState({ retiredAt, known }: { retiredAt: string | null | undefined; known: boolean }) {
  if (!known) return null
  if (!retiredAt) return <StatusMark tone="ok">in use</StatusMark>
  return (
    <StatusMark tone="none">
      retired <RelativeTime at={retiredAt} />
    </StatusMark>
  )
}
