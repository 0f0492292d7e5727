import { SegmentedControl } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { PageLink, TaskLink } from '@/components/links'
import { Page, Panel } from '@/components/Page'
import { PageHeader } from '@/components/PageHeader'
import { LinesSkeleton } from '@/components/Skeletons'
import { StatusMark } from '@/components/StatusMark'
import { useFilters } from '@/hooks/useFilters'
import type { Schemas } from '@/api/schemas'
import { InstalledPanel } from './InstalledPanel'
import { PipelineCharts } from './PipelineCharts'
import { PlanPanel } from './PlanPanel'
import { SpanSwitch } from './SpanSwitch'
import type { PipelineSearch } from './search'
import { usePipeline } from './useServing'
import { VersionsPanel } from './VersionsPanel'
import classes from './serving.module.css'

const route = getRouteApi('/serving/$scenario/$task')

/** One pipeline: who gets which version, how it goes, where it is installed, and how a version is compiled. */
export function PipelinePage() {
  const path = route.useParams()
  const [{ version: chosen, span }, setSearch] = useFilters<PipelineSearch>()
  const found = usePipeline(path)
  const pipeline = found.data
  const name = `${path.scenario}/${path.task}`
  const header = (
    <PageHeader
      title={name}
      above={[<PageLink to="/serving" />]}
      beside={pipeline && <State pipeline={pipeline} />}
      actions={<SpanSwitch span={span} onChange={(to) => setSearch({ span: to, from: undefined, to: undefined })} />}
      passing={!pipeline}
    >
      <p className="note">
        {pipeline?.description} <TaskLink task={name}>Its versions, files and releases as a task</TaskLink>
      </p>
    </PageHeader>
  )
  if (!pipeline) {
    return (
      <Page header={header} found={found}>
        <Panel title="Versions">
          <LinesSkeleton lines={6} />
        </Panel>
      </Page>
    )
  }
  const version = chosen ?? pipeline.offerings[0]?.version ?? pipeline.version
  const names = pipeline.versions.map((each) => each.version)
  return (
    <Page header={header} found={found}>
      <VersionsPanel pipeline={pipeline} />
      {names.length > 1 && (
        <div className={classes.choice}>
          <span id="shown-version">Latency and plan of version</span>
          <SegmentedControl
            aria-labelledby="shown-version"
            size="sm"
            data={names.slice(0, 8)}
            value={version}
            onChange={(to) => setSearch({ version: to, stage: undefined })}
          />
        </div>
      )}
      <PipelineCharts path={path} version={version} span={span} />
      <InstalledPanel plans={pipeline.plans} />
      <PlanPanel key={version} path={path} version={version} />
    </Page>
  )
}

function State({ pipeline: { retired, troubled, hosts, offerings } }: { pipeline: Schemas['PipelineDetail'] }) {
  if (retired) return <StatusMark tone="none">retired</StatusMark>
  if (troubled > 0) return <StatusMark tone="bad">impaired</StatusMark>
  if (offerings.length === 0) return <StatusMark tone="none">not released</StatusMark>
  return hosts > 0 ? <StatusMark tone="ok">serving</StatusMark> : <StatusMark tone="attention">on no host</StatusMark>
}
