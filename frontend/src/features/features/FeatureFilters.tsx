import { Button, SegmentedControl } from '@mantine/core'
import { AppFilter } from '@/components/AppFilter'
import { Suggested } from '@/components/Suggested'
import { useTaskNames } from '@/hooks/useNames'
import { chosenBy, SPANS, spanOf, type Span } from './choosing'
import type { FeatureSearch } from './search'
import classes from './features.module.css'

const SPAN_NAMES: Record<Span, string> = { '15m': '15 min', '1h': '1 h', '6h': '6 h', '24h': '24 h' }

type Props = { search: FeatureSearch; onChange: (change: Partial<FeatureSearch>) => void }

/** The filters of the page, all of which are in the address. */
export function FeatureFilters({ search, onChange }: Props) {
  const tasks = useTaskNames()
  const isNarrowed = Object.keys(chosenBy(search)).length > 0
  const clear = () => onChange({ app: undefined, device: undefined, task: undefined, version: undefined })
  const commit = (name: keyof FeatureSearch) => (text: string) => onChange({ [name]: text || undefined })
  return (
    <search className={classes.filters} aria-label="Which features">
      <AppFilter label="App" app={search.app} onChange={(app) => onChange({ app })} />
      <Suggested
        label="Task"
        className={classes.field}
        placeholder="scenario/task"
        value={search.task ?? ''}
        suggestions={tasks}
        onCommit={commit('task')}
      />
      <Suggested
        label="Task version"
        className={classes.short}
        placeholder="1.0.0"
        value={search.version ?? ''}
        suggestions={[]}
        onCommit={commit('version')}
      />
      <Suggested
        label="Device"
        className={classes.field}
        placeholder="whole id"
        value={search.device ?? ''}
        suggestions={[]}
        onCommit={commit('device')}
      />
      {isNarrowed && (
        <Button variant="default" onClick={clear}>
          Clear filters
        </Button>
      )}
    </search>
  )
}

/** A choice of the time span of the charts. */
export function FeatureSpan({ search, onChange }: Props) {
  return (
    <SegmentedControl
      aria-label="Time span of the charts"
      size="sm"
      data={(Object.keys(SPANS) as Span[]).map((value) => ({ value, label: SPAN_NAMES[value] }))}
      value={spanOf(search)}
      onChange={(span) => onChange({ span: span === '1h' ? undefined : span, from: undefined, to: undefined })}
    />
  )
}
