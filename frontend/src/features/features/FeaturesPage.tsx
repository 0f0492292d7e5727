import { displaces } from '@/api/problem'
import { ErrorNote } from '@/components/ErrorNote'
import { Page, PanelRow, WIDE_AND_NARROW } from '@/components/Page'
import { PageHeader } from '@/components/PageHeader'
import { useFilters } from '@/hooks/useFilters'
import { ChartPanels } from './ChartPanels'
import { chosenBy, spanOf, type Chosen } from './choosing'
import { ConsumersPanel } from './ConsumersPanel'
import { FeatureFilters, FeatureSpan } from './FeatureFilters'
import { FeaturePanel } from './FeaturePanel'
import { FeatureTable } from './FeatureTable'
import { NowPanel } from './NowPanel'
import { NumbersPanel } from './NumbersPanel'
import type { FeatureSearch } from './search'
import { TasksPanel } from './TasksPanel'
import { useConsumers, useFeatureRows, useNow, useRates } from './useFeatures'

/**
 * What devices send: how much, how late, who reads it, and the newest features as they arrive. Those of one device or
 * version come first, since the rest is of all of them.
 */
export function FeaturesPage() {
  const [search, setSearch] = useFilters<FeatureSearch>()
  const chosen = chosenBy(search)
  const now = useNow(search.app)
  const { rates, lines, error, refetch } = useRates(chosen, spanOf(search))
  const consumers = useConsumers(now)
  const isPart = (chosen.device ?? chosen.version) !== undefined
  const newest = <Newest key={JSON.stringify(chosen)} chosen={chosen} search={search} onChange={setSearch} now={now} />
  return (
    <Page
      header={
        <PageHeader actions={<FeatureSpan search={search} onChange={setSearch} />}>
          <FeatureFilters search={search} onChange={setSearch} />
        </PageHeader>
      }
    >
      {displaces(error, rates) && <ErrorNote error={error} retry={refetch} />}
      {isPart && (
        <>
          {newest}
          <p className="note">From here on it is about all devices and versions.</p>
        </>
      )}
      <PanelRow tracks={WIDE_AND_NARROW}>
        <ConsumersPanel consumers={consumers} />
        <NowPanel now={now} />
      </PanelRow>
      <ChartPanels lines={lines} isReady={rates !== undefined} />
      {rates !== undefined && rates.tasks.length > 0 && <TasksPanel tasks={rates.tasks} search={search} />}
      {!isPart && newest}
    </Page>
  )
}

type NewestProps = {
  chosen: Chosen
  search: FeatureSearch
  onChange: (change: Partial<FeatureSearch>) => void
  now: ReturnType<typeof useNow>
}

/** The chosen features; those of one device or task with their numbers. */
function Newest({ chosen, search, onChange, now }: NewestProps) {
  const rows = useFeatureRows(chosen, now?.newest)
  const opened = Number(search.feature)
  return (
    <>
      {(chosen.device ?? chosen.task) !== undefined && <NumbersPanel features={rows.rows} />}
      <PanelRow tracks={opened > 0 ? WIDE_AND_NARROW : 'minmax(0, 1fr)'}>
        <FeatureTable
          rows={rows}
          isNarrowed={Object.keys(chosen).length > 0}
          onOpen={({ id }) => onChange({ feature: String(id) })}
        />
        {opened > 0 && <FeaturePanel number={opened} onClose={() => onChange({ feature: undefined })} />}
      </PanelRow>
    </>
  )
}
