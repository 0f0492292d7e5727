import { Gauges } from '@/components/Gauges'
import { Panel } from '@/components/Page'
import { LinesSkeleton } from '@/components/Skeletons'
import { bytes, percent, rate } from '@/lib/format'
import { milliseconds } from '@/lib/outputs'
import type { GaugeOf } from '@/live/messages'
import { savedShare } from './series'

/** What arrives per second, what compression saves of it, and how long it takes to come. */
export function NowPanel({ now }: { now: GaugeOf<'features'> | undefined }) {
  return (
    <Panel title="Now" beside={<span className="note">the last one to two minutes, of all tasks</span>}>
      {now ? <Figures {...now.rate} /> : <LinesSkeleton lines={3} />}
    </Panel>
  )
}

function Figures(told: GaugeOf<'features'>['rate']) {
  const figures = {
    'Features/s': rate(told.features),
    'Bytes/s before': bytes(Math.round(told.raw_bytes)),
    'Bytes/s sent': bytes(Math.round(told.wire_bytes)),
    Saved: told.raw_bytes > 0 ? percent(savedShare(told)) : '–',
    'Delay p50': milliseconds(told.p50_ms),
    'Delay p99': milliseconds(told.p99_ms),
  }
  return <Gauges figures={figures} />
}
