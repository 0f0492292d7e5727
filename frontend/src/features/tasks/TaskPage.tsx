import { getRouteApi, Link } from '@tanstack/react-router'
import { EmptyState } from '@/components/EmptyState'
import { Page } from '@/components/Page'
import { PageHeader } from '@/components/PageHeader'

const route = getRouteApi('/tasks/$scenario/$task')

export function TaskPage() {
  const { scenario, task } = route.useParams()
  return (
    <Page header={<PageHeader title={`${scenario}/${task}`} above={<Link to="/tasks">Tasks</Link>} />}>
      <EmptyState title="The task's versions come here" />
    </Page>
  )
}
