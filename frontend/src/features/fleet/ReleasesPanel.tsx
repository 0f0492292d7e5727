import { Link } from '@tanstack/react-router'
import { Rocket } from 'lucide-react'
import { memo } from 'react'
import type { Schemas } from '@/api/schemas'
import { EmptyState } from '@/components/EmptyState'
import { FoldedPanel } from '@/components/FoldedPanel'
import { ReleaseLink } from '@/components/links'
import { Panel } from '@/components/Page'
import { RelativeTime } from '@/components/RelativeTime'
import { ReleaseStateMark } from '@/components/ReleaseStateMark'
import { ShareBar } from '@/components/ShareBar'
import { StatusMark } from '@/components/StatusMark'
import { Table } from '@/components/Table'
import { useEver } from '@/hooks/useEver'
import { useRights } from '@/hooks/useRights'
import { releaseCommand } from '@/lib/commands'
import { count, percent, share } from '@/lib/format'
import { stageOf } from '@/lib/stageName'
import classes from './fleet.module.css'

type UnderWay = Schemas['UnderWay']
type Props = {
  releases: readonly UnderWay[]
  app: string | undefined
  /** Whether it is one line until there is a release. */
  isFolded: boolean
}

const TITLE = 'Releases in progress'
const COLUMNS = ['Release', 'App', 'State', 'Stage', 'Installed of selected', 'Failed of reported', 'Last move']

/** The maximum number of releases in the API's answer. */
const MOST = 50

/** Releases that are in progress or wait for somebody, the newest first. */
export const ReleasesPanel = memo(function ReleasesPanel({ releases, app, isFolded }: Props) {
  const wasUnfolded = useEver(!isFolded || releases.length > 0)
  const mayRelease = useRights().mayAnywhere('release', 'scenario')
  if (!wasUnfolded) {
    return (
      <FoldedPanel title={TITLE}>
        No release is in progress.{' '}
        {mayRelease ? (
          <>
            <Link to="/releases/new">Create one</Link>, or look at{' '}
          </>
        ) : (
          'Look at '
        )}
        <Link to="/releases" search={{ app }}>
          all releases
        </Link>
        .
      </FoldedPanel>
    )
  }
  return (
    <Panel
      title={TITLE}
      beside={
        <span className="note">
          {releases.length >= MOST && <>The newest {MOST}. </>}
          <Link to="/releases" search={{ app }}>
            All releases
          </Link>
        </span>
      }
    >
      <div className={classes.table}>
        {releases.length === 0 && <NoneUnderWay app={app} />}
        {releases.length > 0 && (
          <Table label={TITLE} columns={COLUMNS} maxHeight={324}>
            {releases.map((release) => (
              <Row key={release.id} release={release} />
            ))}
          </Table>
        )}
      </div>
    </Panel>
  )
})

function NoneUnderWay({ app }: { app: string | undefined }) {
  if (!useRights().mayAnywhere('release', 'scenario')) {
    return (
      <EmptyState title="No release is in progress" icon={Rocket}>
        A release brings one version of a task to an app’s devices in stages. Releasers and owners of scenarios create
        them.
      </EmptyState>
    )
  }
  return (
    <EmptyState title="No release is in progress" icon={Rocket} command={releaseCommand(app)}>
      A release brings one version of a task to an app’s devices in stages. Create one{' '}
      <Link to="/releases/new">with the wizard</Link>, or in a terminal:
    </EmptyState>
  )
}

function Row({ release }: { release: UnderWay }) {
  const { installed, drawn, failed, reported, counted_at: countedAt } = release.reached
  const failures = `${count(failed)} of ${count(reported)}`
  return (
    <tr data-release={release.id}>
      <th scope="row">
        <ReleaseLink release={release.id}>
          {release.task} {release.version}
        </ReleaseLink>
      </th>
      <td>{release.app}</td>
      <td>
        <ReleaseStateMark state={release.state} />
      </td>
      <td>{stageOf(release)}</td>
      <td>
        <div className={classes.reached}>
          <ShareBar part={installed} whole={drawn} tone="running" label="selected devices have installed it" />
          <span data-figure="reached">{`${count(installed)} of ${count(drawn)}`}</span>
        </div>
        {countedAt && (
          <div className="note">
            counted <RelativeTime at={countedAt} />
          </div>
        )}
      </td>
      <td data-figure="failed">
        {failed > 0 ? (
          <StatusMark tone="bad">{`${failures} (${percent(share(failed, reported))})`}</StatusMark>
        ) : (
          failures
        )}
      </td>
      <td>
        <RelativeTime at={release.moved_at} empty="none yet" />
      </td>
    </tr>
  )
}
