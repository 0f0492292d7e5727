import { useState } from 'react'
import { displaces } from '@/api/problem'
import { AppFilter } from '@/components/AppFilter'
import { ErrorNote } from '@/components/ErrorNote'
import { NoRole } from '@/components/NoRole'
import { Page, Panel, PanelRow } from '@/components/Page'
import { PageHeader } from '@/components/PageHeader'
import { useFilters } from '@/hooks/useFilters'
import { useRights } from '@/hooks/useRights'
import { AttentionPanel } from './AttentionPanel'
import { CoveragePanels } from './CoveragePanels'
import { NowPanel } from './NowPanel'
import { ActivityPanels } from './ActivityPanels'
import { ReleasesPanel } from './ReleasesPanel'
import type { FleetSearch } from './search'
import { spanSince, USUAL_SPAN } from './spans'
import { SpanSwitch } from './SpanSwitch'
import { useFleet } from './useFleet'

/** The fleet at a glance: concerns, activity, releases in progress, and composition. */
export function FleetPage() {
  const [{ app, span: chosen = USUAL_SPAN, from }, setFilters] = useFilters<FleetSearch>()
  const [opened] = useState(() => Date.now() / 1000)
  const span = from === undefined ? chosen : spanSince(Number(from), opened, chosen)
  const { snapshot, attention, error, refetch } = useFleet(app)
  const rights = useRights()
  const seesApps = rights.mayAnywhere('view', 'app')
  const filters = seesApps && (
    <>
      <AppFilter app={app} onChange={(app) => setFilters({ app })} />
      <SpanSwitch
        span={span}
        onChange={(span) =>
          setFilters({ span: span === USUAL_SPAN ? undefined : span, from: undefined, to: undefined })
        }
      />
    </>
  )
  return (
    <Page header={<PageHeader actions={filters} />}>
      {displaces(error, snapshot) ? (
        <ErrorNote error={error} retry={refetch} />
      ) : (
        <>
          <PanelRow tracks="minmax(0, 3fr) minmax(320px, 2fr)">
            <AttentionPanel concerns={attention} />
            {seesApps ? <NowPanel snapshot={snapshot} app={app} /> : <NoApp username={rights.username} />}
          </PanelRow>
          {seesApps && <ActivityPanels key={app ?? ''} app={app} span={span} rates={snapshot?.rates} />}
          <ReleasesPanel releases={snapshot?.releases} app={app} />
          {seesApps && <CoveragePanels devices={snapshot?.devices} app={app} />}
        </>
      )}
    </Page>
  )
}

function NoApp({ username }: { username: string }) {
  return (
    <Panel title="Now">
      <NoRole where="any app" username={username}>
        Devices belong to apps.
      </NoRole>
    </Panel>
  )
}
