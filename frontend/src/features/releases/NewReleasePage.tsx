import { Link } from '@tanstack/react-router'
import { EmptyState } from '@/components/EmptyState'
import { Page } from '@/components/Page'
import { PageHeader } from '@/components/PageHeader'

export function NewReleasePage() {
  return (
    <Page header={<PageHeader title="New release" above={<Link to="/releases">Releases</Link>} />}>
      <EmptyState title="The wizard comes here" />
    </Page>
  )
}
