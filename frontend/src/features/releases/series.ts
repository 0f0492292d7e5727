/** A release over time, as charts draw it. */
import type { Answer } from '@/api/reading'
import type { ReleaseState, Stage } from '@/api/schemas'
import type { ChartEvent } from '@/lib/chartMarks'
import type { ChartSeries } from '@/lib/chartOptions'
import { capitalized } from '@/lib/format'
import { RELEASE_TONE, stateWord } from '@/lib/releaseState'
import type { Columns } from '@/lib/seriesBuffer'
import { roundPercent } from '@/lib/rounding'
import { stageName } from '@/lib/stageName'
import type { Tone } from '@/lib/tone'
import { havingAt } from './having'

export type Series = Answer<'/api/v1/releases/{release}/series'>

export const COVERAGE: readonly ChartSeries[] = [
  { label: 'Selected', tone: 'none', dash: [2, 3], stepped: true },
  { label: 'Offered', tone: 'running', dash: [6, 3], stepped: true },
  { label: 'Have it now', tone: 'running', stepped: true },
  { label: 'Healthy', tone: 'ok', stepped: true },
  { label: 'Failed', tone: 'bad', stepped: true },
  { label: 'Silent', tone: 'attention', dash: [2, 3], stepped: true },
]

/** The same of a release that ended: the line ends with it, and not now. */
export const COVERAGE_THEN = COVERAGE.map((each) =>
  each.label === 'Have it now' ? { ...each, label: 'Installed by then' } : each,
)

/** Returns the devices over time; as long as a version is taken back, beyond the end of its release. */
export function coverageColumns(
  { at, step_s, treatment: arm }: Series,
  release: Parameters<typeof havingAt>[2],
): Columns {
  const times = timesOf(at, step_s)
  const end = times.at(-1) ?? 0
  const later = (release.withdrawal?.curve ?? []).flatMap(([moment]) => (moment && moment > end ? [moment] : []))
  const until = (counts: readonly number[]) => [0, ...counts, ...later.map(() => counts.at(-1) ?? 0)]
  const all = [...times, ...later]
  const having = havingAt(all, until(arm.installed), release)
  return [all, until(arm.drawn), until(arm.offered), having, until(arm.healthy), until(arm.failed), until(arm.silent)]
}

export const RATES: readonly ChartSeries[] = [
  { label: 'New version', tone: 'running' },
  { label: 'Control', tone: 'none', dash: [6, 3] },
  { label: 'At least', tone: 'running', hidden: true },
  { label: 'At most', tone: 'running', hidden: true },
]
export const RATE_BAND = { lower: 2, upper: 3 }

/** Returns failure rates, and the bounds of the new version's, which begin with the first report. */
export function rateColumns({ at, step_s, treatment, control, low, high }: Series): Columns {
  const sinceReports = (bounds: readonly number[]) =>
    bounds.map((bound, index) => (treatment.rate[index] === null ? null : bound))
  return [
    timesOf(at, step_s),
    [null, ...treatment.rate],
    [null, ...control.rate],
    [null, ...sinceReports(low)],
    [null, ...sinceReports(high)],
  ]
}

/** Says how the bounds have shrunk since the first report; or that there is none yet. */
export function boundsText({ treatment, low, high }: Series): string {
  const first = treatment.rate.findIndex((rate) => rate !== null)
  if (first < 0) return 'No device has reported yet, so nothing bounds the true rate.'
  const [lowest, highest] = [low.at(-1) ?? 0, high.at(-1) ?? 1]
  return `The true rate lies between ${roundPercent(lowest)} and ${roundPercent(highest)}; after the first reports it could be up to ${roundPercent(high[first] ?? 1)}.`
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
