/** A release over time, as charts draw it. */
import type { Answer } from '@/api/reading'
import type { ReleaseState, Stage } from '@/api/schemas'
import type { ChartEvent } from '@/lib/chartMarks'
import type { ChartSeries } from '@/lib/chartOptions'
import { capitalized } from '@/lib/format'
import { RELEASE_TONE, stateWord } from '@/lib/releaseState'
import type { Columns } from '@/lib/seriesBuffer'
import { stageName } from '@/lib/stageName'
import type { Tone } from '@/lib/tone'

export type Series = Answer<'/api/v1/releases/{release}/series'>

export const COVERAGE: readonly ChartSeries[] = [
  { label: 'Selected', tone: 'none', dash: [2, 3], stepped: true },
  { label: 'Offered', tone: 'running', dash: [6, 3], stepped: true },
  { label: 'Installed', tone: 'running', stepped: true },
  { label: 'Healthy', tone: 'ok', stepped: true },
  { label: 'Failed', tone: 'bad', stepped: true },
  { label: 'Silent', tone: 'attention', dash: [2, 3], stepped: true },
]

export function coverageColumns({ at, step_s, treatment: arm }: Series): Columns {
  const counts = [arm.drawn, arm.offered, arm.installed, arm.healthy, arm.failed, arm.silent]
  return [timesOf(at, step_s), ...counts.map((each) => [0, ...each])]
}

export const RATES: readonly ChartSeries[] = [
  { label: 'New version', tone: 'running' },
  { label: 'Control', tone: 'none', dash: [6, 3] },
  { label: 'At least', tone: 'running', hidden: true },
  { label: 'At most', tone: 'running', hidden: true },
]
export const RATE_BAND = { lower: 2, upper: 3 }

/**
 * Returns failure rates, and the bounds of the new version's.
 *
 * With few devices the upper bound begins at 100 %; it is cut off where it would flatten everything else.
 */
export function rateColumns({ at, step_s, treatment, control, low, high, limit }: Series): Columns {
  const top = Math.max(4 * limit, ...[...treatment.rate, ...control.rate, ...low].map((rate) => 1.3 * (rate ?? 0)))
  return [
    timesOf(at, step_s),
    [null, ...treatment.rate],
    [null, ...control.rate],
    [0, ...low],
    [top, ...high.map((bound) => Math.min(bound, top))],
  ]
}

/** Returns the times alone. */
export function timeColumns({ at, step_s }: Series): Columns {
  return [timesOf(at, step_s)]
}

/** Returns the ends of all steps, after the beginning of the first one. */
function timesOf(at: readonly number[], step: number): number[] {
  return [(at[0] ?? 0) - step, ...at]
}

/** Returns vertical lines: moves, and verdicts other than a pass, which shows in the move that follows. */
export function chartEvents(series: Series, stages: readonly Stage[]): ChartEvent[] {
  const shown = series.events.filter(({ kind, name }) => kind === 'move' || name in OBJECTIONS)
  return shown.map((event) => ({ at: Date.parse(event.at) / 1000, ...labelOf(event, stages) }))
}

const OBJECTIONS: Record<string, Tone> = { fail: 'bad', error: 'attention' }

function labelOf(event: Series['events'][number], stages: readonly Stage[]): { label: string; tone: Tone } {
  if (event.kind === 'verdict') return { label: `verdict: ${event.name}`, tone: OBJECTIONS[event.name] ?? 'none' }
  const state = event.state as ReleaseState
  const tone = RELEASE_TONE[state]
  const stage = stages.find(({ position }) => position === event.position)
  return event.state === 'running' && stage
    ? { label: stageName(stage), tone }
    : { label: capitalized(stateWord(state)), tone }
}
