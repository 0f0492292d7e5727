import { useQuery } from '@tanstack/react-query'
import { reading } from '@/api/reading'
import type { Release } from '@/api/schemas'
import { ErrorNote } from '@/components/ErrorNote'
import { Fact, Facts } from '@/components/Facts'
import { ReleaseLink } from '@/components/links'
import { Panel, PanelRow, WIDE_AND_NARROW } from '@/components/Page'
import { RelativeTime } from '@/components/RelativeTime'
import { ReleaseStateMark } from '@/components/ReleaseStateMark'
import { LinesSkeleton } from '@/components/Skeletons'
import { StatusMark } from '@/components/StatusMark'
import { declared } from './contract'
import { MOST_RELEASES, SIMULATION, type Releases, type VersionDetail } from './queries'
import { simulated } from './simulationResult'
import classes from './task.module.css'

/** The number of releases of one version that are shown. */
const MOST = 5

type Props = { detail: VersionDetail; releases: Releases | undefined }

/** The evidence that a version works: checks of the push, declarations, and simulations of its releases. */
export function Validation({ detail, releases }: Props) {
  return (
    <PanelRow tracks={WIDE_AND_NARROW}>
      <Panel title="Declared in task.toml">
        <Facts>
          {declared(detail.manifest).map(({ label, values }) => (
            <Fact key={label} name={label}>
              <span className={classes.values}>
                {values.map((value) => (
                  <code key={value}>{value}</code>
                ))}
              </span>
            </Fact>
          ))}
        </Facts>
      </Panel>
      <Panel title="Validation">
        <div className={classes.results}>
          <div>
            <StatusMark tone="ok">valid</StatusMark>
            <span className="muted">
              checked on registration, <RelativeTime at={detail.created_at} />: paths and sizes, task.toml, entry point,
              imports, samples, exclusive files. A push with a problem in any of these is refused.
            </span>
          </div>
          {releases ? <Simulations version={detail.version} releases={releases} /> : <LinesSkeleton lines={1} />}
        </div>
      </Panel>
    </PanelRow>
  )
}

function Simulations({ version, releases: { results, next } }: { version: string; releases: Releases }) {
  const releases = results.filter((release) => release.version === version)
  if (releases.length === 0 && next !== null) {
    return <div className="muted">None of the task’s newest {MOST_RELEASES} releases has this version.</div>
  }
  if (releases.length === 0) {
    return (
      <div>
        <StatusMark tone="none">not simulated</StatusMark>
        <span className="muted">
          A release runs the samples on each app version and system that it can reach, before any device receives the
          version.
        </span>
      </div>
    )
  }
  return releases.slice(0, MOST).map((release) => <SimulationResult key={release.id} release={release} />)
}

function SimulationResult({ release }: { release: Release }) {
  const { data, error } = useQuery(reading(SIMULATION, { path: { release: release.id } }))
  const result = data && simulated(data)
  return (
    <div>
      {result ? (
        <StatusMark tone={result.tone}>{result.word}</StatusMark>
      ) : (
        !error && <LinesSkeleton lines={1} height={20} />
      )}
      <span className="muted">
        {result?.sentence}{' '}
        <ReleaseLink release={release.id}>
          Release {release.id} to {release.app}
        </ReleaseLink>
      </span>
      <ReleaseStateMark state={release.state} />
      {error && <ErrorNote error={error} />}
    </div>
  )
}
