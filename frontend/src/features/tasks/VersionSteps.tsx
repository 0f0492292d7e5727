import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Circle } from 'lucide-react'
import type { ReactNode } from 'react'
import { reading } from '@/api/reading'
import { ReleaseLink } from '@/components/links'
import { RelativeTime } from '@/components/RelativeTime'
import { ReleaseStateMark } from '@/components/ReleaseStateMark'
import { StatusMark } from '@/components/StatusMark'
import { plural } from '@/lib/format'
import type { TaskPath } from '@/lib/taskName'
import type { Installed } from '@/lib/versions'
import { MOST_RELEASES, SIMULATION, type Releases, type VersionDetail } from './queries'
import { simulated } from './simulationResult'
import { Quarantined } from './VersionTable'
import classes from './task.module.css'

type Props = {
  path: TaskPath
  detail: VersionDetail
  releases: Releases | undefined
  installed: Installed | undefined
}

/** How far a version has come: pushed, simulated, released, and where it runs. */
export function VersionSteps({ path, detail, releases, installed }: Props) {
  const { version } = detail
  const newest = releases?.results.find((release) => release.version === version)
  const devices = installed?.versions.find((each) => each.version === version)?.devices
  return (
    <ol className={classes.course} aria-label={`How far ${version} has come`}>
      <Step name="Pushed" mark={<StatusMark tone="ok">valid</StatusMark>}>
        <RelativeTime at={detail.created_at} /> by {detail.author_name}
      </Step>
      <Step name="Simulated" mark={newest ? <Simulated release={newest.id} /> : <NotYet />}>
        {newest ? (
          <>
            for <ReleaseLink release={newest.id}>release {newest.id}</ReleaseLink>
          </>
        ) : (
          'when it is released'
        )}
      </Step>
      <Step name="Released" mark={releaseMark(detail, newest)}>
        {newest ? (
          <>
            to {newest.app}, <RelativeTime at={newest.created_at} />
          </>
        ) : (
          releases?.next && `not among the newest ${MOST_RELEASES} releases`
        )}
      </Step>
      <Step
        name="Runs"
        mark={devices ? <StatusMark tone="running">{plural(devices, 'device')}</StatusMark> : <NotYet />}
      >
        {devices ? (
          <Link to="/devices" search={{ task: `${path.scenario}/${path.task}`, version, revoked: 'false' as const }}>
            Show devices
          </Link>
        ) : (
          'on no device now'
        )}
      </Step>
    </ol>
  )
}

function releaseMark(detail: VersionDetail, newest: Releases['results'][number] | undefined): ReactNode {
  if (detail.quarantine) return <Quarantined />
  if (detail.refusal) return <StatusMark tone="attention">cannot be released</StatusMark>
  return newest ? <ReleaseStateMark state={newest.state} /> : <NotYet />
}

function NotYet() {
  return (
    <StatusMark tone="none" icon={Circle}>
      not yet
    </StatusMark>
  )
}

function Simulated({ release }: { release: number }) {
  const { data } = useQuery(reading(SIMULATION, { path: { release } }))
  const found = data && simulated(data)
  return found ? <StatusMark tone={found.tone}>{found.word}</StatusMark> : null
}

function Step({ name, mark, children }: { name: string; mark: ReactNode; children: ReactNode }) {
  return (
    <li>
      <span className="muted">{name}</span>
      {mark}
      <span className="note">{children}</span>
    </li>
  )
}
