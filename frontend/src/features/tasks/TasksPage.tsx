import { EmptyState } from '@/components/EmptyState'
import { Page } from '@/components/Page'
import { PageHeader } from '@/components/PageHeader'

export function TasksPage() {
  return (
    <Page header={<PageHeader title="Tasks" />}>
      <EmptyState title="The tasks come here" command="walle task list" />
    </Page>
  )
}
