import type { ErrorComponentProps } from '@tanstack/react-router'
import { ErrorNote } from '@/components/ErrorNote'
import { Page } from '@/components/Page'
import { PageHeader } from '@/components/PageHeader'

/** Replaces a page that could not be shown. */
export function PageError({ error, reset }: ErrorComponentProps) {
  return (
    <Page header={<PageHeader title="This page could not be shown" passing />}>
      <ErrorNote error={error} retry={reset} />
    </Page>
  )
}
