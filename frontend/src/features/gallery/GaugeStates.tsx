import { Gauges } from '@/components/Gauges'
import { ShareBar } from '@/components/ShareBar'
import { LinesSkeleton } from '@/components/Skeletons'
import { StatusMark } from '@/components/StatusMark'
import { ThresholdBar } from '@/components/ThresholdBar'
import { bytes, count, percent, rate } from '@/lib/format'
import { milliseconds } from '@/lib/outputs'
import type { Tone } from '@/lib/tone'
import { LONG, valueAt } from './samples'
import { State, States } from './States'

const SHARES = [0, 0.01, 1, 50, 99.9, 100]
const TONES: Tone[] = ['ok', 'running', 'attention', 'bad', 'none']
const MILLION = 1_000_000

/** Figures as they are now, and shares as bars. */
export function GaugeStates({ step }: { step: number }) {
  return (
    <>
      <States of="Gauges" about="figures as they are now">
        <State name="loading">
          <LinesSkeleton lines={3} />
        </State>
        <State name="nothing known yet">
          <Gauges figures={{ 'Features/s': '–', 'Delay p50': milliseconds(null), Saved: '–' }} />
        </State>
        <State name="one">
          <Gauges figures={{ Parameters: count(0) }} />
        </State>
        <State name="many, small and large">
          <Gauges
            figures={{
              'Features/s': rate(0.004),
              'Bytes/s before': bytes(123_456_789),
              Saved: percent(0.9999),
              'Delay p50': milliseconds(0.21),
              'Delay p99': milliseconds(83_000),
              Devices: count(12_345_678),
            }}
          />
        </State>
        <State name="long">
          <Gauges figures={{ 'A name that is longer than its figure': '1', Host: LONG }} />
        </State>
        <State name="what a page is about, live">
          <Gauges isLarge figures={live(step)} data-live="gauges" />
        </State>
      </States>
      <States of="ShareBar" about="a part of a whole; the numbers stand beside it">
        {SHARES.map((each) => (
          <State key={each} name={`${each} %`}>
            <ShareBar part={each} whole={100} tone="running" label="devices" />
          </State>
        ))}
        <State name="of nothing">
          <ShareBar part={0} whole={0} tone="running" label="devices" />
        </State>
        {TONES.map((tone) => (
          <State key={tone} name={`tone: ${tone}`}>
            <ShareBar part={40} whole={100} tone={tone} label="devices" />
          </State>
        ))}
        <State name="live">
          <ShareBar part={valueAt(step)} whole={40} tone="ok" label="devices" />
        </State>
      </States>
      <States of="ThresholdBar" about="a number on a scale of which a part is filled">
        {[0, 250_000, MILLION].map((limit) => (
          <State key={limit} name={`up to ${percent(limit / MILLION)}`}>
            <ThresholdBar at={500_000} limit={limit} whole={MILLION} label={`Bucket 500,000; below ${count(limit)}`}>
              {percent(limit / MILLION)}
            </ThresholdBar>
          </State>
        ))}
        <State name="at both ends">
          <ThresholdBar at={0} limit={500_000} whole={MILLION} label="Bucket 0; below 500,000" />
          <ThresholdBar at={MILLION} limit={500_000} whole={MILLION} label="Bucket 1,000,000; below 500,000" />
        </State>
      </States>
    </>
  )
}

/** Some have a digit more or less at each step, and one has failures at times. */
function live(step: number) {
  const failures = Math.max(0, valueAt(step, 3) - 20)
  return {
    'Check-ins/s': rate(valueAt(step) * 10.5),
    'Offers/s': rate(valueAt(step, 1)),
    'Installs/s': rate(valueAt(step, 2) / 40),
    'Failures/s': failures > 0 ? <StatusMark tone="bad">{rate(failures)}</StatusMark> : rate(0),
  }
}
