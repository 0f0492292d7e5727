import { ErrorNote } from '@/components/ErrorNote'
import { Page } from '@/components/Page'
import { PageHeader } from '@/components/PageHeader'
import { SearchField } from '@/components/SearchField'
import { useFilters } from '@/hooks/useFilters'
import { HostPanel } from './HostPanel'
import { HostsPanel } from './HostsPanel'
import { PipelineTable } from './PipelineTable'
import type { ServingSearch } from './search'
import { SpanSwitch } from './SpanSwitch'
import { useHosts } from './useServing'

/** What the cloud predicts with: the pipelines, who gets which version, and the hosts that serve them. */
export function ServingPage() {
  const [search, setSearch] = useFilters<ServingSearch>()
  const { q, host: chosen, span } = search
  const { hosts, error, refetch } = useHosts()
  const host = hosts?.find(({ name }) => name === chosen) ?? hosts?.find(({ lost }) => !lost) ?? hosts?.[0]
  return (
    <Page
      header={
        <PageHeader
          actions={
            <SpanSwitch span={span} onChange={(to) => setSearch({ span: to, from: undefined, to: undefined })} />
          }
        >
          <SearchField label="Search pipelines" value={q} onChange={(typed) => setSearch({ q: typed })} />
        </PageHeader>
      }
    >
      <PipelineTable q={q} />
      {error && !hosts && <ErrorNote error={error} retry={refetch} />}
      <HostsPanel hosts={hosts} shown={host?.name} search={search} />
      {host && <HostPanel key={host.name} host={host} span={span} />}
    </Page>
  )
}
