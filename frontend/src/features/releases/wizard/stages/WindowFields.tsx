import { Checkbox, Chip, TextInput } from '@mantine/core'
import { timeZone } from '@/lib/time'
import { faultsAt, sentence, type Fault } from '../faults'
import { FaultText } from '../FaultText'
import type { WindowForm } from '../strategy'
import grid from '../fieldGrid.module.css'
import classes from './windowFields.module.css'

type Props = {
  window: WindowForm | null
  faults: readonly Fault[]
  change: (window: WindowForm | null) => void
}

const DAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']
const NIGHT = { from: '01:00', to: '05:00', days: [0, 1, 2, 3, 4, 5, 6] }

/** When offers are made: always, or in a time window on some days. */
export function WindowFields({ window, faults, change }: Props) {
  const wrong = faultsAt(faults, 'strategy.window')
  return (
    <div className={classes.window}>
      <Checkbox
        label="Restrict to a time window"
        description="Outside of it no offers are made and soak times do not count"
        checked={window !== null}
        onChange={(event) => change(event.currentTarget.checked ? { zone: timeZone(), ...NIGHT } : null)}
      />
      {window && (
        <>
          <div className={grid.fields}>
            <TextInput
              label="Time zone"
              value={window.zone}
              error={wrong.some(({ path }) => path === 'strategy.window.zone')}
              onChange={(event) => change({ ...window, zone: event.currentTarget.value })}
            />
            <TextInput
              label="From"
              type="time"
              value={window.from}
              onChange={(event) => change({ ...window, from: event.currentTarget.value })}
            />
            <TextInput
              label="To"
              type="time"
              value={window.to}
              onChange={(event) => change({ ...window, to: event.currentTarget.value })}
            />
          </div>
          <div role="group" aria-label="Days" className={classes.days}>
            {DAYS.map((day, at) => (
              <Chip
                key={day}
                size="sm"
                checked={window.days.includes(at)}
                onChange={(checked) => change({ ...window, days: withDay(window.days, at, checked) })}
              >
                {day}
              </Chip>
            ))}
          </div>
        </>
      )}
      {wrong.map((fault) => (
        <FaultText key={fault.expected}>{sentence(fault)}</FaultText>
      ))}
    </div>
  )
}

function withDay(days: number[], day: number, checked: boolean): number[] {
  const others = days.filter((each) => each !== day)
  return checked ? [...others, day].sort((a, b) => a - b) : others
}
