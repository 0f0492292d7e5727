import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { LASTING, reading, type Answer } from '@/api/reading'
import { ErrorNote } from '@/components/ErrorNote'
import { Panel } from '@/components/Page'
import { RelativeTime } from '@/components/RelativeTime'
import { LinesSkeleton } from '@/components/Skeletons'
import { StatusMark } from '@/components/StatusMark'
import { count, plural } from '@/lib/format'
import { taskPath, type TaskPath } from '@/lib/taskName'
import { diffItems, fieldText, type ChangedFile, type Diff } from '../../tasks/diffItems'
import { ChangeSums } from '../../tasks/DiffNav'
import { useInstalled, useVersions } from '../../tasks/queries'
import { baseOf, installedIn } from '../../tasks/versions'
import plain from './rules/plainList.module.css'
import classes from './sinceInstalled.module.css'

const MOST_SHOWN = 8

/** What changes for the devices of the app: what a version has and the one that most of them have does not. */
export function SinceInstalled({ app, task, version }: { app: string; task: string; version: string }) {
  const path = taskPath(task)
  const versions = useVersions(path)
  const installed = useInstalled(path)
  const names = versions.rows.map((each) => each.version)
  const counts = installed.data && installedIn(app, installed.data)
  const base = counts && baseOf(version, names, counts)
  const diff = useQuery({
    ...reading('/api/v1/tasks/{scenario}/{task}/versions/{version}/diff', {
      path: { ...path, version },
      query: { base: base?.version ?? '' },
    }),
    // Versions never change.
    ...LASTING,
    enabled: base !== undefined,
  })
  const error = versions.error ?? installed.error ?? diff.error
  if (error) return <ErrorNote error={error} retry={() => void Promise.all([installed.refetch(), diff.refetch()])} />
  if (versions.isLoading || !counts) return <LinesSkeleton lines={4} />
  if (!base) return <p className="muted">There is no other version to compare it with.</p>
  const beside =
    base.devices > 0 ? `what most devices of ${app} have: ${count(base.devices)}` : 'the next lower version'
  return (
    <Panel title={`What changes from ${base.version}`} level={3} beside={<span className="muted">{beside}</span>}>
      {diff.data ? <Changes path={path} diff={diff.data} /> : <LinesSkeleton lines={4} />}
    </Panel>
  )
}

function Changes({ path, diff }: { path: TaskPath; diff: Diff }) {
  const { files } = diffItems(diff)
  return (
    <div className={classes.parts}>
      <section aria-label="Commits">
        <h4>{diff.commits?.length === 0 ? 'No new commit' : 'Commits'}</h4>
        {diff.commits === null && <p className="muted">Git has lost one of the versions.</p>}
        <Commits commits={diff.commits ?? []} />
        {(diff.dropped_commits ?? []).length > 0 && (
          <>
            <StatusMark tone="attention">{`Without these commits of ${diff.base}`}</StatusMark>
            <Commits commits={diff.dropped_commits ?? []} />
          </>
        )}
      </section>
      <section aria-label="Changed files">
        <h4>{files.length === 0 ? 'The same files' : plural(files.length, 'file')}</h4>
        <ul className={plain.list}>
          {files.slice(0, MOST_SHOWN).map((file) => (
            <FileEntry key={file.change.path} path={path} diff={diff} file={file} />
          ))}
        </ul>
        <Rest all={files.length} />
        {diff.fields.length > 0 && (
          <>
            <h4>{plural(diff.fields.length, 'declaration')}</h4>
            <ul className={plain.list}>
              {diff.fields.slice(0, MOST_SHOWN).map(({ field, old, new: now }) => (
                <li key={field}>
                  <code>{field}</code> {`${fieldText(old)} → ${fieldText(now)}`}
                </li>
              ))}
            </ul>
            <Rest all={diff.fields.length} />
          </>
        )}
        <Link to="/tasks/$scenario/$task/diff" params={path} search={{ from: diff.base, to: diff.version }}>
          Compare line by line
        </Link>
      </section>
    </div>
  )
}

type Commit = NonNullable<Answer<'/api/v1/tasks/{scenario}/{task}/versions/{version}/diff'>['commits']>[number]

function Commits({ commits }: { commits: readonly Commit[] }) {
  return (
    <>
      <ul className={plain.list}>
        {commits.slice(0, MOST_SHOWN).map(({ commit, subject, author_name: author, committed_at: at }) => (
          <li key={commit}>
            {subject || <code>{commit.slice(0, 8)}</code>}{' '}
            <span className="muted">
              {author}, <RelativeTime at={at} />
            </span>
          </li>
        ))}
      </ul>
      {commits.length > MOST_SHOWN && <p className="muted">and older ones</p>}
    </>
  )
}

function Rest({ all }: { all: number }) {
  return all > MOST_SHOWN ? <p className="muted">and {count(all - MOST_SHOWN)} more</p> : null
}

function FileEntry({ path, diff, file }: { path: TaskPath; diff: Diff; file: ChangedFile }) {
  const { change } = file
  return (
    <li>
      <Link
        to="/tasks/$scenario/$task/diff"
        params={path}
        search={{ from: diff.base, to: diff.version, file: change.path }}
      >
        <code>{change.path}</code>
      </Link>{' '}
      <span className="muted">{change.change}</span> <ChangeSums file={file} />
    </li>
  )
}
