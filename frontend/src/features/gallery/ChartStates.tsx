import { Skeleton } from '@mantine/core'
import { useEffect, useState } from 'react'
import { Chart } from '@/components/Chart'
import { EventLane } from '@/components/EventLane'
import type { ChartSeries } from '@/lib/chartOptions'
import type { TimeRange } from '@/lib/eventGroups'
import { percent, rate } from '@/lib/format'
import { SeriesBuffer, type Columns } from '@/lib/seriesBuffer'
import { bandColumns, columnsOf, EVENTS, POINTS, timeAt, valueAt } from './samples'
import { State, States } from './States'

const HEIGHT = 140
const ONE: ChartSeries[] = [{ label: 'check-ins', tone: 'running', filled: true }]
const ALL: ChartSeries[] = [
  { label: 'ok', tone: 'ok' },
  { label: 'running', tone: 'running', dash: [4, 3] },
  { label: 'attention', tone: 'attention', dash: [1, 3] },
  { label: 'bad', tone: 'bad', dash: [8, 3] },
  { label: 'none', tone: 'none', dash: [12, 4] },
]
const STEPPED: ChartSeries[] = [{ label: 'devices', tone: 'ok', stepped: true }]
const BAND: ChartSeries[] = [
  { label: 'failure rate', tone: 'running' },
  { label: 'lower', tone: 'none', hidden: true },
  { label: 'upper', tone: 'none', hidden: true },
]
const LONG_NAMES: ChartSeries[] = [
  { label: 'a series whose name says a lot about what it has counted', tone: 'running' },
  { label: 'another one, which is not shorter than the first', tone: 'ok', dash: [4, 3] },
]
const LIMIT = { at: 0.03, label: 'limit' }
const BOUNDS = { lower: 1, upper: 2 }
const CENTRE: TimeRange = [timeAt(30), timeAt(60)]

function holding(columns: Columns): SeriesBuffer {
  const buffer = new SeriesBuffer(columns.length - 1)
  buffer.replace(columns)
  return buffer
}

/** Line charts, and the lane of events above them. */
export function ChartStates({ step }: { step: number }) {
  const [data] = useState(() => ({
    none: new SeriesBuffer(1),
    one: holding([[timeAt(0)], [valueAt(0)]]),
    line: holding(columnsOf(1)),
    alike: holding([[0, 1, 2].map(timeAt), [0, 0, 0]]),
    gap: holding(columnsOf(1, POINTS, (at) => at % 40 > 25 && at !== 33)),
    five: holding(columnsOf(5)),
    stepped: holding(columnsOf(1, 24)),
    band: holding(bandColumns()),
    two: holding(columnsOf(2)),
    live: holding(columnsOf(1, 60)),
  }))
  const [part, setPart] = useState<TimeRange | null>(CENTRE)
  useEffect(() => {
    if (step > 0) data.live.push(timeAt(59 + step), valueAt(59 + step))
  }, [step, data])
  const chart = { height: HEIGHT, format: rate }
  return (
    <>
      <States of="Chart" about="values over time; drag over a part to see it alone, a double click shows all">
        <State name="loading">
          <Skeleton height={HEIGHT + 20} />
        </State>
        <State name="no points">
          <Chart label="No points" data={data.none} series={ONE} {...chart} />
        </State>
        <State name="one point">
          <Chart label="One point" data={data.one} series={ONE} {...chart} />
        </State>
        <State name="nothing but zeros">
          <Chart label="Zeros" data={data.alike} series={ONE} {...chart} />
        </State>
        <State name="gaps, and a lone value in one of them">
          <Chart label="Gaps" data={data.gap} series={ONE} {...chart} />
        </State>
        <State name="all tones, told apart without colours">
          <Chart label="All tones" data={data.five} series={ALL} {...chart} />
        </State>
        <State name="steps">
          <Chart label="Steps" data={data.stepped} series={STEPPED} {...chart} />
        </State>
        <State name="band and limit">
          <Chart
            label="Band and limit"
            data={data.band}
            series={BAND}
            band={BOUNDS}
            limit={LIMIT}
            height={HEIGHT}
            format={percent}
          />
        </State>
        <State name="long names">
          <Chart label="Long names" data={data.two} series={LONG_NAMES} {...chart} />
        </State>
        <State name="a part of the time">
          <Chart label="A part of the time" data={data.line} series={ONE} part={part} onPart={setPart} {...chart} />
        </State>
        <State name="live">
          <Chart label="Live values" data={data.live} series={ONE} {...chart} />
        </State>
      </States>
      <Lanes none={data.none} line={data.line} two={data.two} />
    </>
  )
}

const SHARED = { height: HEIGHT, format: rate, group: 'gallery', events: EVENTS }

function Lanes({ none, line, two }: Record<'none' | 'line' | 'two', SeriesBuffer>) {
  const [part, setPart] = useState<TimeRange | null>(null)
  const all = () => setPart(null)
  return (
    <States of="EventLane" about="what happened, above charts that share a crosshair and a part of the time" wide>
      <State name="no times yet">
        <EventLane label="Before the first time" events={[]} data={none} part={null} onShowAll={all} />
      </State>
      <State name="no events">
        <EventLane label="No events" events={[]} data={line} part={null} onShowAll={all} />
      </State>
      <State name="a part of the time, with one event">
        <EventLane
          label="A part of the events"
          events={EVENTS}
          data={line}
          part={[timeAt(80), timeAt(100)]}
          onShowAll={all}
        />
      </State>
      <State name="events, near ones as a group; their names on hover and focus">
        <EventLane events={EVENTS} data={line} part={part} onShowAll={all} />
        <Chart label="Crosshair, first" data={line} series={ONE} part={part} onPart={setPart} {...SHARED} />
        <Chart label="Crosshair, second" data={two} series={LONG_NAMES} part={part} onPart={setPart} {...SHARED} />
      </State>
    </States>
  )
}
