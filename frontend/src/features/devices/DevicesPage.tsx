import { EmptyState } from '@/components/EmptyState'
import { Page } from '@/components/Page'
import { PageHeader } from '@/components/PageHeader'

export function DevicesPage() {
  return (
    <Page header={<PageHeader title="Devices" />} fills>
      <EmptyState title="The devices come here" command="walle device list --app APP" />
    </Page>
  )
}
