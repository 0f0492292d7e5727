import { Button } from '@mantine/core'
import { EmptyState } from '@/components/EmptyState'
import { ErrorNote } from '@/components/ErrorNote'
import { ReleaseLink, TaskLink } from '@/components/links'
import { Panel } from '@/components/Page'
import { RelativeTime } from '@/components/RelativeTime'
import { LinesSkeleton } from '@/components/Skeletons'
import { StatusMark } from '@/components/StatusMark'
import { particulars, told, type Happening } from './timeline'
import { useTimeline, type DevicePath } from './useDevice'
import classes from './device.module.css'

export function TimelinePanel({ path }: { path: DevicePath }) {
  const timeline = useTimeline(path)
  const { happenings } = timeline
  return (
    <Panel title="Timeline">
      {timeline.isPending && <LinesSkeleton lines={8} height={28} />}
      {timeline.data && happenings.length === 0 && <EmptyState title="No events yet" />}
      <ol className={classes.timeline} aria-label="Timeline">
        {happenings.map((happening) => (
          <Entry key={entryKey(happening)} happening={happening} />
        ))}
      </ol>
      {timeline.error && <ErrorNote error={timeline.error} retry={() => void timeline.refetch()} />}
      {timeline.hasNextPage && (
        <Button
          variant="default"
          className={classes.more}
          loading={timeline.isFetchingNextPage}
          onClick={() => void timeline.fetchNextPage()}
        >
          Show more
        </Button>
      )}
    </Panel>
  )
}

function Entry({ happening }: { happening: Happening }) {
  const { word, tone } = told(happening.kind)
  const more = particulars(happening)
  return (
    <li className={classes.happening} data-kind={happening.kind}>
      <span className={classes.at}>
        <RelativeTime at={happening.at} />
      </span>
      <StatusMark tone={tone}>{word}</StatusMark>
      <span className={classes.what}>
        {happening.task !== null && <TaskLink task={happening.task} />}
        {happening.version && <span>{happening.version}</span>}
        {happening.release !== null && <ReleaseLink release={happening.release} />}
        {more && <span className="muted">{more}</span>}
      </span>
    </li>
  )
}

/** Reports have ids of their own; of everything else there is one of its kind at a time. */
function entryKey({ at, kind, task, release, details }: Happening): string {
  return typeof details.report === 'string' ? details.report : [kind, at, task, release].join(' ')
}
