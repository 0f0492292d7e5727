import { Select } from '@mantine/core'
import type { ReleaseDetail } from '@/api/schemas'
import { useFilters } from '@/hooks/useFilters'
import { hasCallers } from '@/lib/audience'
import { withChosen } from '@/lib/choices'
import { count } from '@/lib/format'
import { stageName } from '@/lib/stageName'
import { Chips } from './Chips'
import {
  CALLER_STATUSES,
  DEVICE_STATUSES,
  statusTitle,
  STREAM_DEVICE_STATUSES,
  type ReleaseDevicesSearch,
} from './releaseDevices'
import { readFigures } from './figures'
import classes from './releases.module.css'

const NEW = 'new'

/** Filters of a release's devices: status, with numbers; stage; class of failure. */
export function ReleaseDevicesFilters({ release }: { release: ReleaseDetail }) {
  const [{ became, stage, error, arm }, setFilters] = useFilters<ReleaseDevicesSearch>()
  const figures = readFigures(release.figures)
  const ofStage = stage === undefined ? undefined : figures.stages.get(Number(stage) - 1)
  const counts = arm ? figures.control : stage === undefined ? figures.treatment : ofStage
  const usual = hasCallers(release.kind) ? CALLER_STATUSES : DEVICE_STATUSES
  const isStream = figures.trigger.length > 0
  // Counts by stage and arm, or by error, are unknown.
  const isCounted = error === undefined && !(arm && stage !== undefined)
  return (
    <div className={classes.filters}>
      <Select
        aria-label="Arm"
        data={[
          { value: NEW, label: `New: ${release.version}` },
          { value: 'control', label: 'Held back (control)' },
        ]}
        value={arm ?? NEW}
        allowDeselect={false}
        onChange={(chosen) => setFilters({ arm: chosen === 'control' ? 'control' : undefined })}
      />
      <Select
        aria-label="Stage"
        placeholder="All stages"
        clearable
        data={release.stages.map((each) => ({ value: String(each.position + 1), label: stageName(each) }))}
        value={stage ?? null}
        onChange={(chosen) => setFilters({ stage: chosen ?? undefined })}
      />
      <Select
        aria-label="Error"
        placeholder="Any error, or none"
        clearable
        searchable
        data={withChosen(
          figures.errors.map(([name]) => name).filter((name) => name !== ''),
          error,
        )}
        value={error ?? null}
        onChange={(chosen) => setFilters({ error: chosen ?? undefined })}
      />
      <Chips
        label="Outcome"
        names={isStream || became === 'awaiting_trigger' ? STREAM_DEVICE_STATUSES : usual}
        chosen={became ?? 'drawn'}
        onPress={(name) => setFilters({ became: name === 'drawn' ? undefined : name })}
      >
        {(name) => (
          <>
            {statusTitle(name)} {isCounted && <strong data-count={name}>{shown(counts?.[name] ?? null)}</strong>}
          </>
        )}
      </Chips>
    </div>
  )
}

function shown(value: number | null): string {
  return value === null ? '' : count(value)
}
