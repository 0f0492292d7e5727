import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { EmptyState } from '@/components/EmptyState'
import { Page } from '@/components/Page'
import { PageHeader } from '@/components/PageHeader'

export function ReleasesPage() {
  const create = <Button renderRoot={(props: object) => <Link to="/releases/new" {...props} />}>New release</Button>
  return (
    <Page header={<PageHeader title="Releases" actions={create} />}>
      <EmptyState title="The releases come here" command="walle release list" />
    </Page>
  )
}
