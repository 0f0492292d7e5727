import type { ReactNode } from 'react'
import type { ReleaseDetail } from '@/api/schemas'
import { NotFound } from '@/app/shell/NotFound'
import { ErrorNote } from '@/components/ErrorNote'
import { PageLink } from '@/components/links'
import { Page } from '@/components/Page'
import { PageHeader } from '@/components/PageHeader'
import { PageSkeleton } from '@/components/Skeletons'
import { useRelease } from './useRelease'

type Known = { release: ReleaseDetail; etag: string | null; isWatched: boolean }
type Props = {
  /** The release's number from the address. */
  id: string
  /** The title of a page that cannot show the release, such as "Release 7". */
  title: string
  children: (known: Known) => ReactNode
}

/** Loads a page about one release; each release has its own instance, so that no state of another remains. */
export function ReleaseLoader({ id, ...props }: Props) {
  if (!/^\d{1,15}$/.test(id)) return <NotFound />
  return <Read key={id} id={Number(id)} {...props} />
}

function Read({ id, title, children }: Omit<Props, 'id'> & { id: number }) {
  const { release, etag, isWatched, refusal, error, refetch } = useRelease(id)
  if (release && refusal === null) return children({ release, etag, isWatched })
  if (error === null && refusal === null) return <PageSkeleton />
  return (
    <Page header={<PageHeader title={title} above={[<PageLink to="/releases" />]} passing />}>
      <ErrorNote error={error ?? new Error(refusal ?? '')} retry={refetch} />
    </Page>
  )
}
