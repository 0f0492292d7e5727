import { getRouteApi, Link } from '@tanstack/react-router'
import { EmptyState } from '@/components/EmptyState'
import { Page } from '@/components/Page'
import { PageHeader } from '@/components/PageHeader'

const route = getRouteApi('/releases/$id')

export function ReleasePage() {
  const { id } = route.useParams()
  return (
    <Page header={<PageHeader title={`Release ${id}`} above={<Link to="/releases">Releases</Link>} />}>
      <EmptyState title="The release comes here" />
    </Page>
  )
}
