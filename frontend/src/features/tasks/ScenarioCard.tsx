import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { displaces } from '@/api/problem'
import { reading } from '@/api/reading'
import { CopyText } from '@/components/CopyText'
import { ErrorNote } from '@/components/ErrorNote'
import { RelativeTime } from '@/components/RelativeTime'
import { LinesSkeleton } from '@/components/Skeletons'
import { StatusMark } from '@/components/StatusMark'
import { Delivery } from './Delivery'
import { gitAddress } from '@/lib/pushing'
import classes from './tasks.module.css'

/** The chosen scenario: its repository, and how it is released. */
export function ScenarioCard({ slug }: { slug: string }) {
  const { data, error, refetch } = useQuery(reading('/api/v1/scenarios/{scenario}', { path: { scenario: slug } }))
  if (displaces(error, data)) return <ErrorNote error={error} retry={() => void refetch()} />
  return (
    <section className={classes.card} aria-label={`Scenario ${slug}`}>
      <CopyText label="address for git" text={gitAddress(location.origin, slug)} />
      {data ? (
        <>
          <span className="muted">
            created <RelativeTime at={data.created_at} />
          </span>
          {data.approval_required && <StatusMark tone="attention">releases need approval</StatusMark>}
        </>
      ) : (
        <LinesSkeleton lines={1} height={20} />
      )}
      <Delivery scenario={slug} />
      <Link to="/scenarios/$scenario" params={{ scenario: slug }}>
        Members
      </Link>
    </section>
  )
}
