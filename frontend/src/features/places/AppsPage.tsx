import { Link, useNavigate } from '@tanstack/react-router'
import { DataTable, type Column } from '@/components/DataTable'
import { EmptyState } from '@/components/EmptyState'
import { NoRole } from '@/components/NoRole'
import { Page } from '@/components/Page'
import { PageHeader } from '@/components/PageHeader'
import { RelativeTime } from '@/components/RelativeTime'
import type { RowOf } from '@/api/reading'
import { usePages } from '@/hooks/usePages'
import { useRights } from '@/hooks/useRights'
import { duration } from '@/lib/time'
import { NewAppButton } from './NewAppButton'

const APPS = '/api/v1/apps'
type App = RowOf<typeof APPS>

/** The apps that the person may see; each has members and keys of its own. */
export function AppsPage() {
  const found = usePages(APPS, { query: { limit: 100 } })
  const navigate = useNavigate()
  const rights = useRights()
  const empty = rights.isStaff ? (
    <EmptyState title="There is no app yet">Devices belong to an app, and come with its key.</EmptyState>
  ) : (
    <NoRole where="any app" username={rights.username}>
      Devices belong to apps.
    </NoRole>
  )
  return (
    <Page header={<PageHeader actions={<NewAppButton />} />} fills>
      <DataTable
        {...found}
        label="Apps"
        columns={COLUMNS}
        rowKey={({ slug }) => slug}
        onOpen={({ slug }) => void navigate({ to: '/apps/$app', params: { app: slug } })}
        empty={empty}
      />
    </Page>
  )
}

const COLUMNS: Column<App>[] = [
  {
    key: 'slug',
    header: 'App',
    width: 'minmax(140px, 1fr)',
    render: ({ slug }) => (
      <Link to="/apps/$app" params={{ app: slug }}>
        {slug}
      </Link>
    ),
  },
  { key: 'name', header: 'Name', width: 'minmax(160px, 3fr)', render: ({ name }) => name },
  {
    key: 'interval',
    header: 'Checks in every',
    width: '120px',
    render: ({ check_in_interval: seconds }) => duration(seconds),
  },
  { key: 'made', header: 'Created', width: '120px', render: ({ created_at: at }) => <RelativeTime at={at} /> },
]
