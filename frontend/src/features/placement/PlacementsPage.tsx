import { Link, useNavigate } from '@tanstack/react-router'
import { Layers } from 'lucide-react'
import type { RowOf } from '@/api/reading'
import type { Schemas } from '@/api/schemas'
import { DataTable, type Column } from '@/components/DataTable'
import { EmptyState } from '@/components/EmptyState'
import { NoRole } from '@/components/NoRole'
import { Page } from '@/components/Page'
import { PageHeader } from '@/components/PageHeader'
import { RelativeTime } from '@/components/RelativeTime'
import { useFilters } from '@/hooks/useFilters'
import { useRights } from '@/hooks/useRights'
import { dollars } from './answer'
import { PlacementStateMark } from './HistoryPanel'
import type { PlacementsSearch } from './search'
import { UploadButton } from './UploadButton'
import { useWorkflows } from './usePlacements'
import classes from './placement.module.css'

type Workflow = RowOf<'/api/v1/workflows'>

const COLUMNS: Column<Workflow>[] = [
  {
    key: 'name',
    header: 'Workflow',
    width: 'minmax(180px, 2fr)',
    render: ({ scenario, slug }) => (
      <Link to="/placements/$scenario/$workflow" params={{ scenario, workflow: slug }} tabIndex={-1}>
        <bdi>{`${scenario}/${slug}`}</bdi>
      </Link>
    ),
  },
  {
    key: 'last',
    header: 'Last placement',
    width: 'minmax(200px, 2fr)',
    render: ({ last_placement: last }) => (last ? <LastPlacement placement={last} /> : 'Not placed yet'),
  },
  { key: 'by', header: 'Changed by', render: ({ updated_by: by }) => by },
  { key: 'at', header: 'Changed', render: ({ updated_at: at }) => <RelativeTime at={at} /> },
]

function LastPlacement({ placement: { state, cost, created_at: at } }: { placement: Schemas['Placement'] }) {
  return (
    <span className={classes.last}>
      <PlacementStateMark state={state} />
      {cost !== null && <span>{`${dollars(cost)} per hour`}</span>}
      <RelativeTime at={at} />
    </span>
  )
}

/** The workflows, each of which can be placed: what runs on devices, what in the cloud, with which models. */
export function PlacementsPage() {
  const [{ scenario }] = useFilters<PlacementsSearch>()
  const navigate = useNavigate()
  const found = useWorkflows(scenario)
  const open = (path: { scenario: string; workflow: string }) =>
    void navigate({ to: '/placements/$scenario/$workflow', params: path })
  return (
    <Page fills header={<PageHeader actions={<UploadButton onDone={open} />} />}>
      <DataTable
        label="Workflows"
        columns={COLUMNS}
        rowKey={({ scenario: where, slug }) => `${where}/${slug}`}
        onOpen={({ scenario: where, slug }) => open({ scenario: where, workflow: slug })}
        empty={<NoWorkflows />}
        {...found}
      />
    </Page>
  )
}

function NoWorkflows() {
  const rights = useRights()
  if (!rights.mayAnywhere('view', 'scenario')) {
    return (
      <NoRole where="any scenario" username={rights.username}>
        Workflows belong to scenarios.
      </NoRole>
    )
  }
  return (
    <EmptyState title="No workflow yet" icon={Layers} command="walle workflow check workflow.json">
      A workflow says which operators and models answer a query, on which workers they may run, and what accuracy and
      rate are wanted. Upload its document (docs/workflow-format.md) to have it placed: the cheapest models and workers
      that reach the target, with a proof.
    </EmptyState>
  )
}
