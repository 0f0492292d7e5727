import { Fragment, useState, type ReactNode } from 'react'
import { AppFilter } from '@/components/AppFilter'
import { FoldedPanel } from '@/components/FoldedPanel'
import { NoRole } from '@/components/NoRole'
import { Page, Panel, PanelRow } from '@/components/Page'
import { PageHeader } from '@/components/PageHeader'
import { LinesSkeleton } from '@/components/Skeletons'
import { useEver } from '@/hooks/useEver'
import { useFilters } from '@/hooks/useFilters'
import { useRights } from '@/hooks/useRights'
import { orderOf, type Card, type Contents } from './arrangement'
import type { Concern } from './attention'
import { AttentionPanel } from './AttentionPanel'
import { CoveragePanels } from './CoveragePanels'
import { NowPanel } from './NowPanel'
import { ActivityPanels } from './ActivityPanels'
import { ReleasesPanel } from './ReleasesPanel'
import type { FleetSearch } from './search'
import { spanSince, USUAL_SPAN, type Span } from './spans'
import { SpanSwitch } from './SpanSwitch'
import { useArrangement } from './useArrangement'
import { useFleet, type FleetSnapshot } from './useFleet'

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
  const contents = useArrangement(app, { snapshot, attention })
  return (
    <Page header={<PageHeader actions={filters} />} found={{ data: snapshot, error, refetch }}>
      {snapshot && attention && contents ? (
        <Cards
          key={app ?? ''}
          contents={contents}
          attention={attention}
          snapshot={snapshot}
          app={app}
          span={span}
          seesApps={seesApps}
          username={rights.username}
        />
      ) : (
        <LinesSkeleton lines={12} height={48} />
      )}
    </Page>
  )
}

type CardsProps = {
  contents: Contents
  attention: readonly Concern[]
  snapshot: FleetSnapshot
  app: string | undefined
  span: Span
  seesApps: boolean
  username: string
}

function Cards({ contents, attention, snapshot, app, span, seesApps, username }: CardsProps) {
  const needs = <AttentionPanel concerns={attention} isFolded={!contents.attention} />
  const now = seesApps ? <NowPanel snapshot={snapshot} app={app} /> : <NoApp username={username} />
  const cards: Record<Card, ReactNode> = {
    activity: seesApps && (
      <Activity isFolded={!contents.activity} devices={snapshot.devices.known}>
        <ActivityPanels app={app} span={span} rates={snapshot.rates} />
      </Activity>
    ),
    releases: <ReleasesPanel releases={snapshot.releases} app={app} isFolded={!contents.releases} />,
    coverage: seesApps && <CoveragePanels devices={snapshot.devices} app={app} />,
  }
  return (
    <>
      {contents.attention ? (
        <PanelRow tracks="minmax(0, 3fr) minmax(320px, 2fr)">
          {needs}
          {now}
        </PanelRow>
      ) : (
        <>
          {needs}
          {now}
        </>
      )}
      {orderOf(contents).map((card) => (
        <Fragment key={card}>{cards[card]}</Fragment>
      ))}
    </>
  )
}

/** The charts, or a line until there is a device. */
function Activity({ isFolded, devices, children }: { isFolded: boolean; devices: number; children: ReactNode }) {
  const wasUnfolded = useEver(!isFolded || devices > 0)
  return wasUnfolded ? children : <FoldedPanel title="Activity">No device has checked in yet.</FoldedPanel>
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
