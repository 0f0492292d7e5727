import { getRouteApi, Link } from '@tanstack/react-router'
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
import { useDevice } from './useDevice'
import classes from './device.module.css'

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
      actions={data && <RevokeButton device={data} />}
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
            <ExplainPanel device={data} />
            <TimelinePanel path={path} />
          </div>
        </PanelRow>
      )}
    </Page>
  )
}
