import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { Equal, Files } from 'lucide-react'
import { useMemo } from 'react'
import { reading } from '@/api/reading'
import { EmptyState } from '@/components/EmptyState'
import { ErrorNote } from '@/components/ErrorNote'
import { PageLink } from '@/components/links'
import { Page } from '@/components/Page'
import { PageHeader } from '@/components/PageHeader'
import { LinesSkeleton } from '@/components/Skeletons'
import { useFilters } from '@/hooks/useFilters'
import { nextVersion } from '@/lib/nextVersion'
import { DiffChoice } from './DiffChoice'
import { diffItems } from '@/lib/diffItems'
import { DiffView } from './DiffView'
import { diffCommand, pushingWithoutGit } from '@/lib/pushing'
import { useVersions } from '@/hooks/useTaskVersions'
import type { DiffSearch } from './search'
import { below, latest } from '@/lib/versions'

const route = getRouteApi('/tasks/$scenario/$task/diff')

/** The differences between two versions of a task; by default the latest and the one below it. */
export function DiffPage() {
  const path = route.useParams()
  const name = `${path.scenario}/${path.task}`
  const [filters, setFilters] = useFilters<DiffSearch>()
  const versions = useVersions(path)
  const names = useMemo(() => versions.rows.map(({ version }) => version), [versions.rows])
  const to = filters.to ?? latest(names)
  const from = filters.from ?? below(to, names)
  const chosen = to !== undefined && from !== undefined
  const diff = useQuery({
    ...reading('/api/v1/tasks/{scenario}/{task}/versions/{version}/diff', {
      path: { ...path, version: to ?? '' },
      query: { base: from ?? '' },
    }),
    enabled: chosen && from !== to,
    // Versions never change.
    staleTime: Number.POSITIVE_INFINITY,
  })
  const listing = useMemo(() => (diff.data ? diffItems(diff.data) : null), [diff.data])
  const waits = !listing && !diff.error && !versions.error && (chosen ? from !== to : versions.isLoading)

  const above = [
    <PageLink to="/tasks" />,
    <Link to="/tasks" search={{ scenario: path.scenario }}>
      {path.scenario}
    </Link>,
    <Link to="/tasks/$scenario/$task" params={path} search={to ? { version: to } : {}}>
      {path.task}
    </Link>,
  ]
  const header = (
    <PageHeader title={`${name}: what changed`} above={above}>
      <DiffChoice versions={versions} names={names} from={from} to={to} onChange={setFilters} />
    </PageHeader>
  )
  return (
    <Page header={header} fills>
      {versions.error && <ErrorNote error={versions.error} retry={versions.refetch} />}
      {diff.error && <ErrorNote error={diff.error} retry={() => void diff.refetch()} />}
      {!versions.error && !versions.isLoading && !chosen && (
        <EmptyState
          icon={Files}
          title={names.length > 0 ? 'There is no lower version to compare with' : 'There is no version yet'}
          command={pushingWithoutGit({ ...path, version: nextVersion(names[0]) })}
        >
          Comparing requires two versions.
        </EmptyState>
      )}
      {chosen && (from === to || listing?.items.length === 0) && (
        <EmptyState icon={Equal} title={from === to ? 'The same version twice' : 'The same content'}>
          {from === to ? 'Choose two different versions.' : `${from} and ${to} have the same files and declarations.`}
        </EmptyState>
      )}
      {waits && <LinesSkeleton lines={12} />}
      {chosen && listing !== null && listing.items.length > 0 && (
        <DiffView
          key={`${from} ${to}`}
          path={path}
          from={from}
          to={to}
          listing={listing}
          file={filters.file}
          command={diffCommand(name, from, to)}
        />
      )}
    </Page>
  )
}
