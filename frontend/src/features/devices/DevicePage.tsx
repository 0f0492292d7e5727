import { CatchBoundary, getRouteApi, Link } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { ButtonLink } from '@/components/ButtonLink'
import { CopyText } from '@/components/CopyText'
import { ErrorNote } from '@/components/ErrorNote'
import { PageLink } from '@/components/links'
import { Page, PanelRow } from '@/components/Page'
import { PageHeader } from '@/components/PageHeader'
import { LinesSkeleton } from '@/components/Skeletons'
import { serverTime } from '@/lib/serverClock'
import { DeviceMark } from './DeviceMark'
import { ExplainPanel } from './ExplainPanel'
import { FactsPanel } from './FactsPanel'
import { InstalledPanel } from './InstalledPanel'
import { RevokeButton } from './RevokeButton'
import { TimelinePanel } from './TimelinePanel'
import type { DevicePath } from './queries'
import { useDevice, useStreams } from './useDevice'
import classes from './device.module.css'

const StreamsPanel = lazy(() => import('./StreamsPanel'))
const route = getRouteApi('/devices/$app/$device')

export function DevicePage() {
  const path = route.useParams()
  const { data, error, dataUpdatedAt, refetch } = useDevice(path)
  const above = [
    <PageLink to="/devices" />,
    <Link to="/devices" search={{ app: path.app }}>
      {path.app}
    </Link>,
  ]
  const beside = (
    <>
      <CopyText text={path.device} short="id" label="device id" />
      {data && <DeviceMark device={data} readAt={serverTime(dataUpdatedAt)} />}
    </>
  )
  const header = (
    <PageHeader
      title={path.device}
      above={above}
      beside={beside}
      actions={
        data && (
          <>
            <ButtonLink variant="default" to="/features" search={path}>
              Features
            </ButtonLink>
            <RevokeButton device={data} />
          </>
        )
      }
      passing={!data}
    />
  )
  return (
    <Page header={header}>
      {error && <ErrorNote error={error} retry={() => void refetch()} />}
      {!data && !error && <LinesSkeleton lines={10} />}
      {data && (
        <PanelRow tracks="minmax(0, 280px) minmax(0, 1fr)">
          <div className={classes.column}>
            <FactsPanel device={data} />
          </div>
          <div className={classes.column}>
            <InstalledPanel device={data} />
            <Streams path={path} />
            <ExplainPanel device={data} />
            <TimelinePanel path={path} />
          </div>
        </PanelRow>
      )}
    </Page>
  )
}

/** Nothing on a device without stream tasks, on which what draws it is not loaded. */
function Streams({ path }: { path: DevicePath }) {
  const { data, error, refetch } = useStreams(path)
  if (error && !data) return <ErrorNote error={error} retry={() => void refetch()} />
  if (!data || data.streams.length === 0) return null
  return (
    <CatchBoundary getResetKey={() => path.device} errorComponent={ErrorNote}>
      <Suspense fallback={<LinesSkeleton lines={4} />}>
        <StreamsPanel streams={data.streams} />
      </Suspense>
    </CatchBoundary>
  )
}
