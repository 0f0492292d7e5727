import { Link, useNavigate } from '@tanstack/react-router'
import { keyOf } from '@/api/reading'
import type { Release } from '@/api/schemas'
import { DataTable, type Column } from '@/components/DataTable'
import { EmptyState } from '@/components/EmptyState'
import { GuardedButton } from '@/components/GuardedButton'
import { ReleaseLink } from '@/components/links'
import { Page } from '@/components/Page'
import { PageHeader } from '@/components/PageHeader'
import { RelativeTime } from '@/components/RelativeTime'
import { ReleaseStateMark } from '@/components/ReleaseStateMark'
import { useFilters } from '@/hooks/useFilters'
import { usePages } from '@/hooks/usePages'
import { useRefetchOnMoves } from '@/hooks/useRefetchOnMoves'
import { useRights } from '@/hooks/useRights'
import { releaseCommand } from '@/lib/commands'
import { missingAnywhere } from '@/lib/rights'
import { ReleaseFilters } from './ReleaseFilters'
import type { ReleasesSearch } from './search'

const ADDRESS = '/api/v1/releases'

const COLUMNS: Column<Release>[] = [
  {
    key: 'release',
    header: 'Release',
    width: 'minmax(200px, 2fr)',
    render: ({ id, task, version }) => (
      <ReleaseLink release={id}>
        {task} {version}
      </ReleaseLink>
    ),
  },
  { key: 'app', header: 'App', width: 'minmax(96px, 1fr)', render: ({ app }) => app },
  {
    key: 'state',
    header: 'State',
    width: '168px',
    render: ({ state }) => <ReleaseStateMark state={state} />,
  },
  {
    key: 'stage',
    header: 'Stage',
    width: '64px',
    align: 'end',
    render: ({ position }) => (position === null ? '–' : position + 1),
  },
  { key: 'id', header: 'Number', width: '88px', align: 'end', wide: true, render: ({ id }) => id },
  { key: 'by', header: 'Created by', width: 'minmax(96px, 1fr)', wide: true, render: ({ created_by: by }) => by },
  { key: 'at', header: 'Created', width: '120px', render: ({ created_at: at }) => <RelativeTime at={at} /> },
]

export function ReleasesPage() {
  const navigate = useNavigate()
  const [{ task, app, state }] = useFilters<ReleasesSearch>()
  const filters = { ...(task ? { task } : {}), ...(app ? { app } : {}), ...(state ? { state } : {}) }
  const releases = usePages(ADDRESS, { query: filters })
  useRefetchOnMoves([keyOf(ADDRESS)])
  const rights = useRights()
  const create = (
    <GuardedButton
      missing={missingAnywhere(rights, 'release', 'scenario')}
      renderRoot={(props: object) => <Link to="/releases/new" {...props} />}
    >
      New release
    </GuardedButton>
  )
  const isFiltered = Object.keys(filters).length > 0
  return (
    <Page
      fills
      header={
        <PageHeader actions={create}>
          <ReleaseFilters />
        </PageHeader>
      }
    >
      <DataTable
        label="Releases"
        columns={COLUMNS}
        rowKey={({ id }) => id}
        onOpen={({ id }) => void navigate({ to: '/releases/$id', params: { id: String(id) } })}
        empty={isFiltered ? <NothingFits /> : <NothingYet isStaff={rights.isStaff} />}
        minWidth={640}
        {...releases}
      />
    </Page>
  )
}

function NothingYet({ isStaff }: { isStaff: boolean }) {
  return (
    <EmptyState
      title={isStaff ? 'No release yet' : 'No release yet in your scenarios and apps'}
      command={releaseCommand()}
    >
      A release brings one version of a task to the devices of one app, in stages.
    </EmptyState>
  )
}

function NothingFits() {
  return (
    <EmptyState title="No release fits the filters" command="walle release list">
      <Link to="/releases">Show all releases</Link>
    </EmptyState>
  )
}
