import { CatchBoundary, getRouteApi } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import type { ReleaseDetail } from '@/api/schemas'
import { CopyText } from '@/components/CopyText'
import { ErrorNote } from '@/components/ErrorNote'
import { PageLink, TaskLink } from '@/components/links'
import { Page, PanelRow } from '@/components/Page'
import { PageHeader } from '@/components/PageHeader'
import { LinesSkeleton } from '@/components/Skeletons'
import { StatusMark } from '@/components/StatusMark'
import { RELEASE_TONE } from '@/lib/releaseState'
import { Actions } from './Actions'
import { Approval } from './Approval'
import { Banner } from './Banner'
import { Charts } from './Charts'
import { Comparison } from './Comparison'
import { stateTitle } from './releaseSteps'
import { ReleaseSteps } from './ReleaseSteps'
import { readFigures } from './figures'
import { Having } from './Having'
import { ReleaseLoader } from './ReleaseLoader'
import { Stages } from './Stages'
import { useMove } from './useMove'

const AfterComplete = lazy(() => import('./AfterComplete'))
const AuditTrail = lazy(() => import('./AuditTrail'))
const AwaitingTrigger = lazy(() => import('./AwaitingTrigger'))
const Findings = lazy(() => import('./Findings'))
const RuleAndStrategy = lazy(() => import('./RuleAndStrategy'))
const Simulation = lazy(() => import('./Simulation'))
const StateGraph = lazy(() => import('./StateGraph'))
const Withdrawal = lazy(() => import('./Withdrawal'))
const route = getRouteApi('/releases/$id')

export function ReleasePage() {
  const { id } = route.useParams()
  return (
    <ReleaseLoader id={id} title={`Release ${id}`}>
      {(known) => <Shown {...known} />}
    </ReleaseLoader>
  )
}

type LaterProps = { release: ReleaseDetail; lines: number; children: React.ReactNode }

/** A part whose code is loaded when the rest of the page is there. */
function Later({ release, lines, children }: LaterProps) {
  return (
    <CatchBoundary getResetKey={() => release.id} errorComponent={ErrorNote}>
      <Suspense fallback={<LinesSkeleton lines={lines} />}>{children}</Suspense>
    </CatchBoundary>
  )
}

/** Loaded for releases of stream tasks only. */
function Trigger({ release }: { release: ReleaseDetail }) {
  const figures = readFigures(release.figures)
  if (figures.trigger.length === 0) return null
  return (
    <Later release={release} lines={2}>
      <AwaitingTrigger release={release.id} figures={figures} />
    </Later>
  )
}

type Props = { release: ReleaseDetail; etag: string | null; isWatched: boolean }

function Shown({ release, etag, isWatched }: Props) {
  const move = useMove(release)
  const shown = move.shown
  const above = [<PageLink to="/releases" />, <TaskLink task={shown.task} version={shown.version} />, `to ${shown.app}`]
  const beside = (
    <>
      <span data-release-state={shown.state} aria-live="polite">
        <StatusMark tone={RELEASE_TONE[shown.state]}>{stateTitle(shown)}</StatusMark>
      </span>
      <span className="note">
        release <CopyText text={String(shown.id)} label="number of the release" />
      </span>
    </>
  )
  const header = (
    <PageHeader title={`${shown.task} ${shown.version}`} above={above} beside={beside}>
      {/* On a line of their own: beside a title they would wrap with the next state, and move all below. */}
      <Actions release={shown} etag={etag} move={move} />
    </PageHeader>
  )
  return (
    <Page header={header}>
      <Banner release={shown} />
      {shown.withdrawal && (
        <Later release={shown} lines={6}>
          <Withdrawal version={shown.version} withdrawal={shown.withdrawal} />
        </Later>
      )}
      {shown.completion_watch && shown.state === 'complete' && (
        <Later release={shown} lines={4}>
          <AfterComplete release={shown} watch={shown.completion_watch} />
        </Later>
      )}
      <Approval release={shown} />
      <ReleaseSteps release={shown} />
      <Having release={shown} />
      <Charts release={shown} />
      <Stages release={shown} />
      <Trigger release={shown} />
      <Later release={shown} lines={10}>
        <Findings release={shown} />
      </Later>
      <PanelRow>
        <Comparison release={shown} />
        <Later release={shown} lines={10}>
          <RuleAndStrategy release={shown} />
        </Later>
      </PanelRow>
      <Later release={shown} lines={6}>
        <Simulation release={shown} />
      </Later>
      <Later release={shown} lines={6}>
        <StateGraph release={shown} />
      </Later>
      <Later release={shown} lines={6}>
        <AuditTrail release={shown} isWatched={isWatched} />
      </Later>
    </Page>
  )
}
