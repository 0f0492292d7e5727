import { useEffect, useMemo, useState } from 'react'
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
import { count, percent } from '@/lib/format'
import { SeriesBuffer, type Columns } from '@/lib/seriesBuffer'
import { hasEnded } from './releaseSteps'
import { readFigures } from './figures'
import {
  chartEvents,
  COVERAGE,
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
            {(loaded) => <Coverage data={loaded} events={events} part={part} onPart={onPart} uncounted={uncounted} />}
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

/** `uncounted` are devices that have reported, but count neither in verdicts nor in these curves. */
function Coverage({ data, events, part, onPart, uncounted }: Shown & { uncounted: number }) {
  const buffer = useBuffer(data, COVERAGE.length, coverageColumns)
  return (
    <>
      <Chart
        label="Devices over time"
        data={buffer}
        series={COVERAGE}
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
        group="release"
      />
      <p className="note">
        With {percent(data.confidence)} confidence the true rate is always within the band: now{' '}
        {percent(data.low.at(-1) ?? 0)} to {percent(data.high.at(-1) ?? 1)}. The release is rolled back when the whole
        band is above the limit, or when {percent(data.stop_rate)} fail after at least {count(data.stop_after)}{' '}
        outcomes.
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

/** Formats a value of an axis; values between two whole numbers have no label. */
function wholeDevices(value: number): string {
  return Number.isInteger(value) ? count(value) : ''
}

function asPercent(value: number): string {
  return percent(value, 2)
}
