import { getRouteApi, Link } from '@tanstack/react-router'
import { EmptyState } from '@/components/EmptyState'
import { Page } from '@/components/Page'
import { PageHeader } from '@/components/PageHeader'

const route = getRouteApi('/tasks/$scenario/$task/diff')

export function DiffPage() {
  const params = route.useParams()
  const above = (
    <Link to="/tasks/$scenario/$task" params={params}>
      {params.scenario}/{params.task}
    </Link>
  )
  return (
    <Page header={<PageHeader title="Difference" above={above} />}>
      <EmptyState title="What differs between two versions comes here" />
    </Page>
  )
}
