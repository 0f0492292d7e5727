import { Button } from '@mantine/core'
import { EmptyState } from '@/components/EmptyState'
import { ErrorNote } from '@/components/ErrorNote'
import { ReleaseLink, TaskLink } from '@/components/links'
import { Panel } from '@/components/Page'
import { RelativeTime } from '@/components/RelativeTime'
import { LinesSkeleton } from '@/components/Skeletons'
import { StatusMark } from '@/components/StatusMark'
import { detailText, labelOf, type TimelineEntry } from './timeline'
import type { DevicePath } from './queries'
import { useTimeline } from './useDevice'
import classes from './device.module.css'

export function TimelinePanel({ path }: { path: DevicePath }) {
  const timeline = useTimeline(path)
  const { entries } = timeline
  return (
    <Panel title="Timeline">
      {timeline.isPending && <LinesSkeleton lines={8} height={28} />}
      {timeline.data && entries.length === 0 && <EmptyState title="No events yet" />}
      <ol className={classes.timeline} aria-label="Timeline">
        {entries.map((entry) => (
          <Entry key={entryKey(entry)} entry={entry} />
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

function Entry({ entry }: { entry: TimelineEntry }) {
  const { word, tone } = labelOf(entry.kind)
  const more = detailText(entry)
  return (
    <li className={classes.happening} data-kind={entry.kind}>
      <span className={classes.at}>
        <RelativeTime at={entry.at} />
      </span>
      <StatusMark tone={tone}>{word}</StatusMark>
      <span className={classes.what}>
        {entry.task !== null && <TaskLink task={entry.task} />}
        {entry.version && <span>{entry.version}</span>}
        {entry.release !== null && <ReleaseLink release={entry.release} />}
        {more && <span className="muted">{more}</span>}
      </span>
    </li>
  )
}

/** Returns the key of an event: reports have ids; other events occur once at a time per kind. */
function entryKey({ at, kind, task, release, details }: TimelineEntry): string {
  return typeof details.report === 'string' ? details.report : [kind, at, task, release].join(' ')
}
