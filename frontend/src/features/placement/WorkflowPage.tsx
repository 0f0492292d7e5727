import { getRouteApi } from '@tanstack/react-router'
import { EmptyState } from '@/components/EmptyState'
import { GuardedButton } from '@/components/GuardedButton'
import { PageLink } from '@/components/links'
import { Page, Panel } from '@/components/Page'
import { PageHeader } from '@/components/PageHeader'
import { LinesSkeleton } from '@/components/Skeletons'
import { useFilters } from '@/hooks/useFilters'
import { useRights } from '@/hooks/useRights'
import { missing } from '@/lib/rights'
import { HistoryPanel } from './HistoryPanel'
import { MeasurementsPanel } from './MeasurementsPanel'
import { PlacementPanels } from './PlacementPanels'
import { ProfileButton } from './ProfileButton'
import { profileOf } from './profiles'
import type { WorkflowSearch } from './search'
import { useNewPlacement, usePlacement, usePlacements, useWorkflow, type NewPlacement } from './usePlacements'

const route = getRouteApi('/placements/$scenario/$workflow')

/** One workflow: its placements, and the plans of the one that is shown. */
export function WorkflowPage() {
  const path = route.useParams()
  const rights = useRights()
  const [{ placement: named }, setSearch] = useFilters<WorkflowSearch>()
  const found = useWorkflow(path)
  const history = usePlacements(path)
  const shown = named === undefined ? history?.[0]?.id : Number(named)
  const placement = usePlacement(
    shown,
    history?.find(({ id }) => id === shown),
  )
  const start = useNewPlacement(path, (id) => setSearch({ placement: String(id), plan: undefined }))
  const mayNot = missing(rights, 'simulate', `scenario:${path.scenario}`)
  const place = (body: NewPlacement) => start.mutate(body)
  const by = placement && profileOf(placement.profiled)?.placement
  const header = (
    <PageHeader
      title={`${path.scenario}/${path.workflow}`}
      above={[<PageLink to="/placements" />]}
      actions={
        <>
          <ProfileButton path={path} placements={history ?? []} />
          <GuardedButton missing={mayNot} loading={start.isPending} onClick={() => place({ budget_s: 10 })}>
            Place
          </GuardedButton>
        </>
      }
      passing={!found.data}
    />
  )
  return (
    <Page header={header} found={found}>
      {history?.length === 0 && (
        <EmptyState title="Not placed yet">
          Place the workflow to see which models and workers reach its target at the lowest price.
        </EmptyState>
      )}
      {!history && (
        <Panel title="Plans">
          <LinesSkeleton lines={6} />
        </Panel>
      )}
      {placement && (
        <PlacementPanels
          key={placement.id}
          placement={placement}
          mayNotPlace={mayNot}
          onPlace={(body) => place({ ...body, ...(by !== undefined && { profiled_by: by }) })}
        />
      )}
      {placement?.measurements && <MeasurementsPanel placement={placement} />}
      {history && history.length > 0 && <HistoryPanel placements={history} shown={shown} />}
    </Page>
  )
}
