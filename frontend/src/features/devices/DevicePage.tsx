import { getRouteApi, Link } from '@tanstack/react-router'
import { EmptyState } from '@/components/EmptyState'
import { Page } from '@/components/Page'
import { PageHeader } from '@/components/PageHeader'

const route = getRouteApi('/devices/$app/$device')

export function DevicePage() {
  const { app, device } = route.useParams()
  const above = (
    <Link to="/devices" search={{ app }}>
      Devices of {app}
    </Link>
  )
  return (
    <Page header={<PageHeader title={device} above={above} />}>
      <EmptyState title="The device comes here" />
    </Page>
  )
}
