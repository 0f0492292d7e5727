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
import { count } from '@/lib/format'
import { NewScenarioButton } from './NewScenarioButton'

const SCENARIOS = '/api/v1/scenarios'
type Scenario = RowOf<typeof SCENARIOS>

/** The scenarios that the person may see; each has members of its own. */
export function ScenariosPage() {
  const found = usePages(SCENARIOS, { query: { limit: 100 } })
  const navigate = useNavigate()
  const rights = useRights()
  const empty = rights.isStaff ? (
    <EmptyState title="There is no scenario yet">
      A scenario is a git repository for tasks that belong together.
    </EmptyState>
  ) : (
    <NoRole where="any scenario" username={rights.username}>
      Tasks belong to scenarios.
    </NoRole>
  )
  return (
    <Page header={<PageHeader actions={<NewScenarioButton />} />} fills>
      <DataTable
        {...found}
        label="Scenarios"
        columns={COLUMNS}
        rowKey={({ slug }) => slug}
        onOpen={({ slug }) => void navigate({ to: '/scenarios/$scenario', params: { scenario: slug } })}
        empty={empty}
      />
    </Page>
  )
}

const COLUMNS: Column<Scenario>[] = [
  {
    key: 'name',
    header: 'Scenario',
    width: 'minmax(140px, 1fr)',
    render: ({ slug }) => (
      <Link to="/scenarios/$scenario" params={{ scenario: slug }}>
        {slug}
      </Link>
    ),
  },
  { key: 'about', header: 'About', width: 'minmax(160px, 3fr)', render: ({ description }) => description },
  { key: 'tasks', header: 'Tasks', width: '80px', align: 'end', render: ({ task_count: tasks }) => count(tasks) },
  { key: 'made', header: 'Created', width: '120px', render: ({ created_at: at }) => <RelativeTime at={at} /> },
]
