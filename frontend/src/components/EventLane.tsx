import { Button, Tooltip } from '@mantine/core'
import { memo } from 'react'
import { useTimeRange } from '@/hooks/useTimeRange'
import type { ChartEvent } from '@/lib/chartMarks'
import { groupEvents, type EventGroup, type TimeRange } from '@/lib/eventGroups'
import type { SeriesBuffer } from '@/lib/seriesBuffer'
import { absoluteTime, timeWithin } from '@/lib/time'
import { TONE_COLOR } from '@/lib/tone'
import classes from './eventLane.module.css'

/** Marks that are nearer than this part of the lane are one. */
const NEAR = 0.04

type Props = {
  events: readonly ChartEvent[]
  /** A buffer of the charts below: the lane covers its times. */
  data: SeriesBuffer
  /** The part of these times that is shown; null for all. */
  part: TimeRange | null
  onShowAll: () => void
  /** The accessible name, where a page has several. */
  label?: string
}

/** What happened in the time of the charts below: a mark for each event, with its name on hover or focus. */
export const EventLane = memo(function EventLane(props: Props) {
  const { events, data, part, onShowAll, label = 'Events of the charts' } = props
  const whole = useTimeRange(data)
  const range = part ?? whole
  const groups = range ? groupEvents(events, range, NEAR) : []
  const span = range ? range[1] - range[0] : 0
  return (
    <section className={classes.lane} aria-label={label}>
      <span>{range && timeWithin(range[0], span)}</span>
      {groups.length > 0 ? (
        <ol className={classes.marks} aria-label="Events">
          {groups.map((group) => (
            <Mark key={group.events[0]?.at} group={group} span={span} />
          ))}
        </ol>
      ) : (
        <span className={classes.none}>{range && 'No events in this time'}</span>
      )}
      <span>{range && timeWithin(range[1], span)}</span>
      {part && (
        <Button variant="default" size="compact-xs" onClick={onShowAll}>
          Show all
        </Button>
      )}
    </section>
  )
})

function Mark({ group: { at, tone, events }, span }: { group: EventGroup; span: number }) {
  return (
    <li className={classes.mark} style={{ left: `${at * 100}%`, color: TONE_COLOR[tone] }}>
      <Tooltip
        label={<Names events={events} span={span} />}
        events={{ hover: true, focus: true, touch: true }}
        withinPortal={false}
      >
        <button type="button" className={classes.tick} aria-label={inWords(events)}>
          {events.length > 1 && events.length}
        </button>
      </Tooltip>
    </li>
  )
}

function Names({ events, span }: { events: readonly ChartEvent[]; span: number }) {
  return (
    <ul className={classes.names}>
      {events.map((event, index) => (
        <li key={index}>
          {event.label} <span className={classes.time}>{timeWithin(event.at, span)}</span>
        </li>
      ))}
    </ul>
  )
}

/** What is seen of a group, its number of events, begins its name. */
function inWords(events: readonly ChartEvent[]): string {
  const each = events.map(({ label, at }) => `${label}, ${absoluteTime(at * 1000)}`).join('; ')
  return events.length > 1 ? `${events.length} events: ${each}` : each
}
