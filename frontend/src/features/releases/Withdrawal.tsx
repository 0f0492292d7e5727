import { useEffect, useMemo, useState } from 'react'
import { Chart } from '@/components/Chart'
import { Panel } from '@/components/Page'
import { ShareBar } from '@/components/ShareBar'
import { useClock } from '@/hooks/useNow'
import { count } from '@/lib/format'
import { SeriesBuffer } from '@/lib/seriesBuffer'
import { REMAINING, remainingColumns, stillOnIt, untilNone, type Withdrawal as Shown } from './withdrawal'

const HEIGHT = 120
const DEVICES: [number, number | null] = [0, 4]

/** How a rolled-back version leaves the devices: who still has it, the curve, and the time until none has. */
export default function Withdrawal({ version, withdrawal }: { version: string; withdrawal: Shown }) {
  const left = useClock((now) => untilNone(withdrawal, now))
  const data = useRemaining(withdrawal)
  const { remaining, devices } = withdrawal
  const tone = remaining > 0 ? 'bad' : 'ok'
  return (
    <Panel title={`Have ${version} now: ${stillOnIt(withdrawal)}`}>
      <ShareBar part={remaining} whole={Math.max(devices, 1)} tone={tone} label="devices still have it" />
      <p data-withdrawal data-having={remaining}>
        {left}
      </p>
      <Chart
        label="Devices that still have it, over time"
        data={data}
        series={REMAINING}
        height={HEIGHT}
        format={wholeDevices}
        range={DEVICES}
      />
    </Panel>
  )
}

function useRemaining(withdrawal: Shown): SeriesBuffer {
  const columns = useMemo(() => remainingColumns(withdrawal), [withdrawal])
  const [buffer] = useState(() => {
    const made = new SeriesBuffer(REMAINING.length)
    made.replace(columns)
    return made
  })
  useEffect(() => buffer.replace(columns), [buffer, columns])
  return buffer
}

/** Formats a value of an axis; values between two whole numbers have no label. */
function wholeDevices(value: number): string {
  return Number.isInteger(value) ? count(value) : ''
}
