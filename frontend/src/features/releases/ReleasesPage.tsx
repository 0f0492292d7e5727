import { Link, useNavigate } from '@tanstack/react-router'
import { everyFew, keyOf } from '@/api/reading'
import { DataTable } from '@/components/DataTable'
import { EmptyState } from '@/components/EmptyState'
import { GuardedButton } from '@/components/GuardedButton'
import { Page } from '@/components/Page'
import { PageHeader } from '@/components/PageHeader'
import { TableTools } from '@/components/TableTools'
import { useColumns } from '@/hooks/useColumns'
import { useFilters } from '@/hooks/useFilters'
import { usePages } from '@/hooks/usePages'
import { useRefetchOnMoves } from '@/hooks/useRefetchOnMoves'
import { useRights } from '@/hooks/useRights'
import { releaseCommand } from '@/lib/commands'
import { missingAnywhere } from '@/lib/rights'
import { ReleaseFilters } from './ReleaseFilters'
import { RELEASE_COLUMNS } from './releaseColumns'
import { filtersOf, queryOf, type ReleasesSearch } from './search'

const ADDRESS = '/api/v1/releases'
/** Devices install while the release does not move. */
const COUNT_AGAIN_MS = 10_000

export function ReleasesPage() {
  const navigate = useNavigate()
  const [search, setFilters] = useFilters<ReleasesSearch>()
  const params = { query: queryOf(search) }
  const releases = usePages(ADDRESS, params, { refetchInterval: everyFew(COUNT_AGAIN_MS) })
  const choice = useColumns('releases', RELEASE_COLUMNS)
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
  const isFiltered = Object.keys(filtersOf(search)).length > 0
  return (
    <Page
      fills
      header={
        <PageHeader actions={create}>
          <ReleaseFilters />
        </PageHeader>
      }
    >
      <TableTools choice={choice} path={ADDRESS} params={params} />
      <DataTable
        label="Releases"
        columns={choice.shown}
        rowKey={({ id }) => id}
        onOpen={({ id }) => void navigate({ to: '/releases/$id', params: { id: String(id) } })}
        empty={isFiltered ? <NothingFits /> : <NothingYet isStaff={rights.isStaff} />}
        order={search.order}
        onOrder={(next) => setFilters({ order: next as ReleasesSearch['order'] })}
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
