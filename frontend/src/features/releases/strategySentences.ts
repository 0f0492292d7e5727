/** A strategy as sentences, in the order in which things happen. */
import type { ReleaseDetail } from '@/api/schemas'
import { audienceWords, hasCallers } from '@/lib/audience'
import { count, plural } from '@/lib/format'
import { asList, asNumber, asObject, asText, type JsonObject } from '@/lib/json'
import { exactPercent, milliseconds } from '@/lib/rounding'
import { stageName } from '@/lib/stageName'
import { duration } from '@/lib/time'
import { readStrategy, type StageStrategy } from './figures'
import { readLimits } from './releaseLimits'

type Known = Pick<ReleaseDetail, 'strategy' | 'stages' | 'kind'>

export function strategySentences(release: Known): string[] {
  const { strategy, stages, kind } = release
  const { many } = audienceWords(kind)
  const read = readStrategy(strategy)
  return [
    read.simulation ? 'It is simulated first, on every app version and system.' : 'It is not simulated.',
    ...(read.approval ? ['Then somebody other than its creator has to approve it.'] : []),
    ...stages.map((stage, at) => stageSentence(stageName(stage), read.stages[at], many)),
    ...windowSentence(asObject(strategy.window)),
    read.control > 0
      ? `${read.control} % of the ${many} are held back as control until the last stage.`
      : `No ${audienceWords(kind).one} is held back as control.`,
    ...limitSentences(strategy, many),
    ...waitSentences(strategy, hasCallers(kind)),
    afterComplete(strategy, many),
  ]
}

function stageSentence(name: string, stage: StageStrategy | undefined, many: string): string {
  if (!stage) return `${name}.`
  const waits = [
    ...(stage.dwellS > 0 ? [`at least ${duration(stage.dwellS)}`] : []),
    ...(stage.evidence > 0 ? [`until ${count(stage.evidence)} of its ${many} have reported`] : []),
  ]
  const pace = stage.pace === null ? '' : `, with at most ${plural(stage.pace, 'offer')} a second`
  return `${name}: ${waits.join(' and ') || 'without waiting'}${pace}.`
}

const DAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']

function windowSentence({ zone, from, to, days }: JsonObject): string[] {
  if (typeof from !== 'string') return []
  const named = asList(days).flatMap((day) => DAYS[asNumber(day) ?? -1] ?? [])
  const on = named.length > 0 && named.length < DAYS.length ? ` on ${named.join(', ')}` : ''
  return [`Offers are made from ${from} to ${asText(to)}, by the clock of ${asText(zone)}${on}.`]
}

function limitSentences(strategy: JsonObject, many: string): string[] {
  const { failureRate, stopRate, stopAfter, latencyMs, latencyQuantile } = readLimits(strategy)
  const metric = asText(strategy.metric)
  return [
    `It is rolled back if more than ${exactPercent(failureRate)} fail, at once if ${exactPercent(stopRate)} of at least ${count(stopAfter)} do.`,
    ...(latencyMs === null
      ? []
      : [
          `At most ${exactPercent(1 - latencyQuantile)} of the ${many} may take longer than ${milliseconds(latencyMs)}.`,
        ]),
    ...(metric === '' ? [] : [`The metric ${metric} is watched for drift.`]),
  ]
}

function waitSentences({ grace_s, silence_s, defer_s }: JsonObject, callers: boolean): string[] {
  const [grace, silence, defer] = [grace_s, silence_s, defer_s].map((value) => asNumber(value) ?? 0)
  return [
    `It pauses if too few have reported ${duration(grace ?? 0)} after a stage’s soak time.`,
    ...(callers ? [] : [`A device is silent after ${duration(silence ?? 0)} without a check-in.`]),
    ...(callers || !defer ? [] : [`Apps may put it off for ${duration(defer)}.`]),
  ]
}

function afterComplete(strategy: JsonObject, many: string): string {
  if (strategy.after_complete === null || strategy.after_complete === undefined)
    return 'Once complete, it is not watched.'
  const { failure_rate, period_s, action } = asObject(strategy.after_complete)
  const limit = asNumber(failure_rate) ?? 2 * readLimits(strategy).failureRate
  const does = action === 'roll-back' ? 'it is rolled back' : 'somebody is alerted'
  const period = duration(asNumber(period_s) ?? 0)
  return `Once complete, ${does} if more than ${exactPercent(limit)} of the ${many} fail within ${period}.`
}
