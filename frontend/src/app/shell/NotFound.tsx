import { Link } from '@tanstack/react-router'
import { Compass } from 'lucide-react'
import { EmptyState } from '@/components/EmptyState'
import { Page } from '@/components/Page'
import { PageHeader } from '@/components/PageHeader'

export function NotFound() {
  return (
    <Page header={<PageHeader title="Not found" passing />}>
      <EmptyState icon={Compass} title="There is no such page">
        The address may be mistyped, or the object was removed. <Link to="/">To the fleet</Link>
      </EmptyState>
    </Page>
  )
}
