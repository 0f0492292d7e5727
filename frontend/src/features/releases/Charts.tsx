import { useCallback, useEffect, useMemo, useState } from 'react'
import type { ReleaseDetail } from '@/api/schemas'
import { Chart } from '@/components/Chart'
import { EmptyState } from '@/components/EmptyState'
import { ErrorNote } from '@/components/ErrorNote'
import { EventLane } from '@/components/EventLane'
import { Panel, PanelRow } from '@/components/Page'
import { LinesSkeleton } from '@/components/Skeletons'
import { useTimePart } from '@/hooks/useTimePart'
import type { ChartEvent } from '@/lib/chartMarks'
import type { TimeRange } from '@/lib/eventGroups'
import { count } from '@/lib/format'
import { exactPercent, roundPercent } from '@/lib/rounding'
import { SeriesBuffer, type Columns } from '@/lib/seriesBuffer'
import { hasEnded } from './releaseSteps'
import { readFigures } from './figures'
import { isLive } from './having'
import {
  boundsText,
  chartEvents,
  COVERAGE,
  COVERAGE_THEN,
  coverageColumns,
  RATE_BAND,
  rateColumns,
  RATES,
  timeColumns,
  type Series,
} from './series'
import { useSeries } from './useRelease'
import classes from './releases.module.css'

const HEIGHT = 220

/** The release over time: the devices reached, and the bounds of its failure rate. */
export function Charts({ release }: { release: ReleaseDetail }) {
  const series = useSeries(release)
  const { data } = series
  const events = useMemo(() => (data ? chartEvents(data, release.stages) : []), [data, release.stages])
  const uncounted = readFigures(release.figures).newDevices.reported
  const [part, onPart] = useTimePart()
  return (
    <>
      {data && data.at.length > 0 && <Events data={data} events={events} part={part} onPart={onPart} />}
      <PanelRow>
        <Panel title="Coverage">
          <Loaded query={series} release={release}>
            {(loaded) => (
              <Coverage
                data={loaded}
                release={release}
                events={events}
                part={part}
                onPart={onPart}
                uncounted={uncounted}
              />
            )}
          </Loaded>
        </Panel>
        <Panel title="Failure rate">
          <Loaded query={series} release={release}>
            {(loaded) => <FailureRate data={loaded} events={events} part={part} onPart={onPart} />}
          </Loaded>
        </Panel>
      </PanelRow>
    </>
  )
}

type Query = ReturnType<typeof useSeries>

type LoadedProps = { query: Query; release: ReleaseDetail; children: (data: Series) => React.ReactNode }

function Loaded({ query, release, children }: LoadedProps) {
  const { data, error, refetch } = query
  if (!data) {
    return (
      <div className={classes.chartPlace}>
        {error ? <ErrorNote error={error} retry={() => void refetch()} /> : <LinesSkeleton lines={6} />}
      </div>
    )
  }
  if (data.at.length === 0) {
    return (
      <div className={classes.chartPlace}>
        {hasEnded(release.state) ? (
          <EmptyState title="No device received it">The release ended before its first stage.</EmptyState>
        ) : (
          <EmptyState title="No device has it yet">The curves start with the first stage.</EmptyState>
        )}
      </div>
    )
  }
  return children(data)
}

type Shown = {
  data: Series
  events: ChartEvent[]
  part: TimeRange | null
  onPart: (part: TimeRange | null) => void
}

function Events({ data, events, part, onPart }: Shown) {
  const times = useBuffer(data, 0, timeColumns)
  return <EventLane events={events} data={times} part={part} onShowAll={() => onPart(null)} />
}

type CoverageProps = Shown & { release: ReleaseDetail; uncounted: number }

/** `uncounted` are devices that have reported, but count neither in verdicts nor in these curves. */
function Coverage({ data, release, events, part, onPart, uncounted }: CoverageProps) {
  const { having, withdrawal, state } = release
  const columns = useCallback(
    (read: Series) => coverageColumns(read, { having, withdrawal, state }),
    [having, withdrawal, state],
  )
  const buffer = useBuffer(data, COVERAGE.length, columns)
  return (
    <>
      <Chart
        label="Devices over time"
        data={buffer}
        series={isLive(release) ? COVERAGE : COVERAGE_THEN}
        events={events}
        part={part}
        onPart={onPart}
        height={HEIGHT}
        format={wholeDevices}
        range={DEVICES}
        group="release"
      />
      <p className="note">
        {heldBack(data.control.drawn.at(-1) ?? 0)} {uncounted > 0 && leftOut(uncounted)}
      </p>
    </>
  )
}

function FailureRate({ data, events, part, onPart }: Shown) {
  const buffer = useBuffer(data, RATES.length, rateColumns)
  const limit = useMemo(() => ({ at: data.limit, label: 'limit' }), [data.limit])
  // Up to the limit the axis is even; above, it has room for the first bounds, which are wide.
  const spread = useMemo(() => ({ from: data.limit, marks: RATE_MARKS }), [data.limit])
  return (
    <>
      <Chart
        label="Failure rate over time"
        data={buffer}
        series={RATES}
        events={events}
        part={part}
        onPart={onPart}
        limit={limit}
        band={RATE_BAND}
        height={HEIGHT}
        format={asPercent}
        range={RATE}
        spread={spread}
        group="release"
      />
      <p className="note">
        {boundsText(data)} With {roundPercent(data.confidence)} confidence it is always within the band. The release is
        rolled back when the whole band is above the limit, or when {exactPercent(data.stop_rate)} fail after at least{' '}
        {count(data.stop_after)} outcomes.
      </p>
    </>
  )
}

/** Returns the buffer of a chart, which is the same object in each rendering. */
function useBuffer(data: Series, series: number, columns: (data: Series) => Columns): SeriesBuffer {
  const [buffer] = useState(() => {
    const made = new SeriesBuffer(series)
    made.replace(columns(data))
    return made
  })
  useEffect(() => buffer.replace(columns(data)), [buffer, columns, data])
  return buffer
}

function heldBack(devices: number): string {
  if (devices === 0) return 'No device is held back as control.'
  return `${count(devices)} more ${devices === 1 ? 'is' : 'are'} held back as control, for comparison.`
}

function leftOut(devices: number): string {
  const are = devices === 1 ? 'is' : 'are'
  return `Healthy and Failed leave out ${count(devices)} that ${are} new and that nobody vouches for.`
}

const DEVICES: [number, number | null] = [0, 4]
const RATE: [number, number | null] = [0, null]
/** What the axis of rates has marks at. */
const RATE_MARKS = [0, 0.000_01, 0.000_1, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1]

/** Formats a value of an axis; values between two whole numbers have no label. */
function wholeDevices(value: number): string {
  return Number.isInteger(value) ? count(value) : ''
}

function asPercent(value: number): string {
  return roundPercent(value)
}
