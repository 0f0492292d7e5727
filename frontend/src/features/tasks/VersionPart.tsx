import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { Download, GitCompare, Rocket } from 'lucide-react'
import { lazy, Suspense } from 'react'
import { displaces } from '@/api/problem'
import { ButtonLink } from '@/components/ButtonLink'
import { ErrorNote } from '@/components/ErrorNote'
import { GuardedButton } from '@/components/GuardedButton'
import { Panel, PanelRow, WIDE_AND_NARROW } from '@/components/Page'
import { LinesSkeleton } from '@/components/Skeletons'
import { useFilters } from '@/hooks/useFilters'
import { useRights } from '@/hooks/useRights'
import { missing } from '@/lib/rights'
import { plural } from '@/lib/format'
import type { TaskPath } from '@/lib/taskName'
import { archiveAddress } from './files'
import { FileTable } from './FileTable'
import { ModelsPanel } from './ModelsPanel'
import { placedIn } from './placed'
import { PlacedPanel } from './PlacedPanel'
import { QuarantineNote } from './QuarantineNote'
import { RefusalNote } from './RefusalNote'
import { useVersion, type Releases } from './queries'
import type { TaskSearch } from './search'
import { Validation } from './Validation'
import { VersionFacts } from './VersionFacts'
import { baseOf, type Installed } from '@/lib/versions'
import { VersionSteps } from './VersionSteps'
import { Quarantined } from './VersionTable'
import classes from './task.module.css'

const FilePanel = lazy(() => import('./content/FilePanel'))

type Props = {
  path: TaskPath
  version: string
  versions: readonly string[]
  releases: Releases | undefined
  installed: Installed | undefined
  isRetired: boolean
}

const RETIRED = 'The task is retired. Unretire it to release it again.'

/** Everything about one version. */
export function VersionPart({ path, version, versions, releases, installed, isRetired }: Props) {
  const { data, error, refetch } = useVersion(path, version)
  const rights = useRights()
  const [{ file: open }, setFilters] = useFilters<TaskSearch>()
  const base = baseOf(version, versions, installed)
  const file = data?.files.find((each) => each.path === open && each.kind !== 'exclusive')
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
          {base && (
            <ButtonLink
              variant="default"
              leftSection={<GitCompare size={14} aria-hidden="true" />}
              to="/tasks/$scenario/$task/diff"
              params={path}
              search={{ from: base.version, to: version }}
            >
              Compare with {base.version}
              {base.devices > 0 && `, on ${plural(base.devices, 'device')}`}
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
      {data && <VersionSteps path={path} detail={data} releases={releases} installed={installed} />}
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
          <FileTable detail={data} open={open} onOpen={(path) => setFilters({ file: path })} />
          <Panel title="About">{data ? <VersionFacts detail={data} /> : <LinesSkeleton lines={7} height={28} />}</Panel>
        </PanelRow>
      )}
      {file && (
        <Suspense fallback={<LinesSkeleton lines={10} />}>
          <FilePanel
            path={path}
            version={version}
            file={file}
            base={base?.version}
            onClose={() => setFilters({ file: undefined })}
          />
        </Suspense>
      )}
      {data && open && !file && (
        <p className="muted" role="status">
          {version} has no file <code>{open}</code> that can be shown.
        </p>
      )}
      {data && <Validation detail={data} releases={releases} />}
    </section>
  )
}
