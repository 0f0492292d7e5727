import { Tooltip } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { EmptyState } from '@/components/EmptyState'
import { ErrorNote } from '@/components/ErrorNote'
import { Panel } from '@/components/Page'
import { RelativeTime } from '@/components/RelativeTime'
import { ShareBar } from '@/components/ShareBar'
import { LinesSkeleton } from '@/components/Skeletons'
import { count, percent, plural, share } from '@/lib/format'
import type { TaskPath } from '@/lib/taskName'
import type { Installed } from '@/lib/versions'
import classes from './task.module.css'

type Props = { path: TaskPath; query: UseQueryResult<Installed> }

/** The devices that have each version now, by app, with links to them. */
export function InstalledNow({ path, query: { data, error, refetch } }: Props) {
  const beside = data && (
    <span className="muted">
      {plural(data.devices, 'device')}
      {data.counted_at && (
        <>
          , counted <RelativeTime at={data.counted_at} />
        </>
      )}
    </span>
  )
  return (
    <Panel title="Installed right now" beside={beside}>
      {error && !data && <ErrorNote error={error} retry={() => void refetch()} />}
      {!data && !error && <LinesSkeleton lines={4} />}
      {data?.devices === 0 && (
        <EmptyState title="On no device">Devices receive a version from a release, at their next check-in.</EmptyState>
      )}
      {data && data.devices > 0 && (
        <ul className={classes.installed}>
          {data.versions.map((each) => (
            <InstalledVersion key={each.version} path={path} each={each} all={data.devices} />
          ))}
        </ul>
      )}
    </Panel>
  )
}

type Each = Installed['versions'][number]

function InstalledVersion({ path, each, all }: { path: TaskPath; each: Each; all: number }) {
  const { version, devices, apps } = each
  return (
    <li>
      <div className={classes.installedHead}>
        {version ? (
          <Link to="/tasks/$scenario/$task" params={path} search={{ version }} replace resetScroll={false}>
            {version}
          </Link>
        ) : (
          <Tooltip label="These devices have a manifest that belongs to no registered version: the task was created again, or a backup was restored.">
            <span tabIndex={0}>unknown version</span>
          </Tooltip>
        )}
        <span>
          {count(devices)} <span className="muted">({percent(share(devices, all))})</span>
        </span>
      </div>
      <ShareBar part={devices} whole={all} tone="running" label="devices" />
      <div className={classes.apps}>
        {apps.map(({ app, devices: some }) => (
          <Link key={app} to="/devices" search={deviceSearch(app, path, version)}>
            {count(some)} in {app}
          </Link>
        ))}
      </div>
    </li>
  )
}

/** Returns the search for devices of an app with a version of the task; with the task, if the version is unknown. */
function deviceSearch(app: string, { scenario, task }: TaskPath, version: string) {
  return { app, task: `${scenario}/${task}`, revoked: 'false' as const, ...(version ? { version } : {}) }
}
