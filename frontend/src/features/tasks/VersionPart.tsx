import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { Download, GitCompare, Rocket } from 'lucide-react'
import { displaces } from '@/api/problem'
import { ButtonLink } from '@/components/ButtonLink'
import { ErrorNote } from '@/components/ErrorNote'
import { GuardedButton } from '@/components/GuardedButton'
import { Panel, PanelRow, WIDE_AND_NARROW } from '@/components/Page'
import { LinesSkeleton } from '@/components/Skeletons'
import { useRights } from '@/hooks/useRights'
import { missing } from '@/lib/rights'
import type { TaskPath } from '@/lib/taskName'
import { archiveAddress } from './files'
import { FileTable } from './FileTable'
import { ModelsPanel } from './ModelsPanel'
import { placedIn } from './placed'
import { PlacedPanel } from './PlacedPanel'
import { QuarantineNote } from './QuarantineNote'
import { RefusalNote } from './RefusalNote'
import { useVersion, type Releases } from './queries'
import { Validation } from './Validation'
import { VersionFacts } from './VersionFacts'
import { below } from './versions'
import { Quarantined } from './VersionTable'
import classes from './task.module.css'

type Props = {
  path: TaskPath
  version: string
  versions: readonly string[]
  releases: Releases | undefined
  isRetired: boolean
}

const RETIRED = 'The task is retired. Unretire it to release it again.'

/** Everything about one version. */
export function VersionPart({ path, version, versions, releases, isRetired }: Props) {
  const { data, error, refetch } = useVersion(path, version)
  const rights = useRights()
  const lower = below(version, versions)
  const isGone = displaces(error, data)
  const placed = data && placedIn(data.manifest)
  return (
    <section className={classes.part} aria-label={`Version ${version}`}>
      <div className={classes.partHead}>
        <h2>Version {version}</h2>
        {data?.quarantine && <Quarantined />}
        <div className={classes.actions}>
          {data && (
            <Button
              variant="default"
              leftSection={<Download size={14} aria-hidden="true" />}
              component="a"
              href={archiveAddress(path, version)}
              download
            >
              Download
            </Button>
          )}
          {lower && (
            <ButtonLink
              variant="default"
              leftSection={<GitCompare size={14} aria-hidden="true" />}
              to="/tasks/$scenario/$task/diff"
              params={path}
              search={{ from: lower, to: version }}
            >
              Compare with {lower}
            </ButtonLink>
          )}
          {data?.quarantine === null && !data.refusal && (
            <GuardedButton
              missing={isRetired ? RETIRED : missing(rights, 'release', `scenario:${path.scenario}`)}
              leftSection={<Rocket size={14} aria-hidden="true" />}
              renderRoot={(props: object) => <Link to="/releases/new" search={{ ...path, version }} {...props} />}
            >
              Release this version
            </GuardedButton>
          )}
        </div>
      </div>
      {isGone && <ErrorNote error={error} retry={() => void refetch()} />}
      {data?.quarantine && (
        // A reason that is being typed belongs to this version alone.
        <QuarantineNote key={data.manifest_digest} path={path} version={version} quarantine={data.quarantine} />
      )}
      {data?.refusal && <RefusalNote refusal={data.refusal} kind={data.kind} />}
      {placed && <PlacedPanel scenario={path.scenario} placed={placed} />}
      {data?.models.map((plan) => (
        <ModelsPanel key={plan.name} plan={plan} />
      ))}
      {!isGone && (
        <PanelRow tracks={WIDE_AND_NARROW}>
          <FileTable path={path} detail={data} />
          <Panel title="About">{data ? <VersionFacts detail={data} /> : <LinesSkeleton lines={7} height={28} />}</Panel>
        </PanelRow>
      )}
      {data && <Validation detail={data} releases={releases} />}
    </section>
  )
}
