import { EmptyState } from '@/components/EmptyState'
import { Page } from '@/components/Page'
import { PageHeader } from '@/components/PageHeader'

export function FleetPage() {
  return (
    <Page header={<PageHeader title="Fleet" />}>
      <EmptyState title="The fleet comes here" command="walle status" />
    </Page>
  )
}
