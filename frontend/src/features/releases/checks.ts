/** The checks of a verdict for people: what each compares, its limit, how near it is, and what to do about it. */
import type { ReleaseDetail } from '@/api/schemas'
import { audienceWords } from '@/lib/audience'
import { capitalized, count, plural } from '@/lib/format'
import { exactPercent, milliseconds, partOfSample } from '@/lib/rounding'
import { readCounts, readFindings, type Counts, type Finding } from './figures'
import type { DeviceStatus } from './releaseDevices'
import { readLimits, type Limits } from './releaseLimits'

type Known = {
  limits: Limits
  many: string
  hasControl: boolean
  /** Of the new version, at the decision. */
  treatment: Counts
}

type Kind = {
  title: string
  compares: (known: Known) => string
  limit: (known: Known) => string
  /** What to do once it fails because of the version. */
  failed: string
  /** What to do while it is suspicious; without it, to wait for more reports. */
  suspicious?: (known: Known) => string
  /** The devices that show why. */
  devices?: DeviceStatus
  /** How near it is, where a share decides and not the odds. */
  share?: (known: Known) => { near: number; nearness: string }
}

export type Check = {
  test: string
  title: string
  compares: string
  limit: string
  found: string
  state: 'fails' | 'suspicious' | 'passes'
  /** The part of the evidence against the version that makes it fail, from 0 to 1. */
  near: number
  /** The same in words. */
  nearness: string
  advice: string
  devices: DeviceStatus | null
}

/** The checks of the last verdict, in the order of the verdict. */
export function checksOf(release: ReleaseDetail, evidence: Record<string, unknown>): Check[] {
  const counts = readCounts(evidence)
  const known: Known = {
    limits: readLimits(release.strategy),
    many: audienceWords(release.kind).many,
    hasControl: counts.control !== null,
    treatment: counts.treatment,
  }
  return readFindings(evidence).map((finding) => checkOf(finding, known))
}

function checkOf(finding: Finding, known: Known): Check {
  const kind = KINDS[finding.test] ?? UNKNOWN
  const state = finding.objects ? 'fails' : finding.leans ? 'suspicious' : 'passes'
  return {
    test: finding.test,
    title: kind.title || capitalized(finding.test),
    compares: kind.compares(known),
    limit: kind.limit(known),
    found: finding.doubt ? `${finding.sentence}, but ${finding.doubt}` : finding.sentence,
    state,
    near: kind.share && state !== 'fails' ? Math.min(0.99, kind.share(known).near) : nearOf(finding),
    nearness: kind.share?.(known).nearness ?? nearnessOf(finding),
    advice: adviceOn(kind, finding, known),
    devices: state === 'passes' ? null : (kind.devices ?? null),
  }
}

function nearOf({ objects, logEvidence, threshold }: Finding): number {
  if (objects) return 1
  return threshold > 0 ? Math.min(0.99, Math.max(0, logEvidence / threshold)) : 0
}

/** "7 to 1 against it; it fails from 100 to 1": the odds that evidence gives. */
function nearnessOf({ objects, logEvidence, threshold }: Finding): string {
  if (threshold <= 0) return objects ? 'reached' : 'not reached'
  const least = oddsOf(threshold)
  if (logEvidence <= 0) return `nothing against it; fails from ${least}`
  return `${oddsOf(logEvidence)} against it; fails from ${least}`
}

const MOST_ODDS = 1_000_000

function oddsOf(log: number): string {
  const odds = Math.exp(log)
  if (odds > MOST_ODDS) return `over ${count(MOST_ODDS)} to 1`
  return `${count(Number(odds.toPrecision(2)))} to 1`
}

function adviceOn(kind: Kind, finding: Finding, known: Known): string {
  if (finding.objects && finding.doubt !== '') {
    return 'It may not be the version: look for an outage or a change elsewhere, then resume or roll back.'
  }
  if (finding.objects) return kind.failed
  if (!finding.leans) return 'Nothing to do.'
  return kind.suspicious?.(known) ?? `Wait: reports of more ${known.many} settle it.`
}

/** Says how many more have to report without a failure before the rate is likelier within its limit (trials_within). */
function untilPardoned({ treatment: { failed, reported }, limits, many }: Known): string {
  const more = Math.max(failed, Math.ceil((failed - 1 / 3) / limits.failureRate)) - reported
  if (more <= 0) return `Wait: reports of more ${many} settle it.`
  return `Wait for ${plural(more, 'report')} without a failure, or look at what failed.`
}

function nearStop({ treatment: { failed, reported }, limits }: Known): { near: number; nearness: string } {
  const nearness = `${partOfSample(failed, reported)}; fails at ${exactPercent(limits.stopRate)}`
  return { near: reported === 0 ? 0 : failed / reported / limits.stopRate, nearness }
}

const FIX = 'See why they failed, correct the version and release that.'

const KINDS: Readonly<Record<string, Kind>> = {
  stop: {
    title: 'Stop at once',
    compares: ({ many }) => `${capitalized(many)} that failed, with the share at which a release stops at once`,
    limit: ({ limits }) => `${exactPercent(limits.stopRate)}, after ${plural(limits.stopAfter, 'report')}`,
    failed: FIX,
    devices: 'failed',
    share: nearStop,
  },
  limit: {
    title: 'Failure limit',
    compares: ({ many }) => `${capitalized(many)} that failed, with the share that may`,
    limit: ({ limits }) => exactPercent(limits.failureRate),
    failed: FIX,
    suspicious: untilPardoned,
    devices: 'failed',
  },
  control: {
    title: 'Failures against control',
    compares: ({ many }) => `${capitalized(many)} that failed, with those of the control group`,
    limit: ({ limits }) => moreThanControl(limits.failureMargin),
    failed: FIX,
    devices: 'failed',
  },
  silence: {
    title: 'Silence',
    compares: ({ many, hasControl }) =>
      `${capitalized(many)} that did not check in again, with ${hasControl ? 'those of the control group' : 'the share that may'}`,
    limit: ({ limits, hasControl }) =>
      hasControl ? moreThanControl(limits.silenceMargin) : exactPercent(limits.silentShare),
    failed: 'Find out whether the version stops the app or its network; try it on one of the silent devices.',
    devices: 'silent',
  },
  latency: {
    title: 'Run time limit',
    compares: () => 'Runs that took longer than the limit, with the share that may',
    limit: ({ limits }) =>
      `${exactPercent(1 - limits.latencyQuantile)} above ${limits.latencyMs === null ? 'the limit' : milliseconds(limits.latencyMs)}`,
    failed: 'Make the task faster, or give it a higher limit in a new release.',
  },
  slowdown: {
    title: 'Slower than before',
    compares: () => 'Run times, with those of the control group, at six points of their distribution',
    limit: ({ limits }) => moreThanControl(limits.slowdownMargin),
    failed: 'Compare the run times below; make the task faster, or accept them in a new release with a wider margin.',
  },
  drift: {
    title: 'Drift of the metric',
    compares: () => 'Values of the metric, with those of the control group, at five points of their distribution',
    limit: ({ limits }) => `${points(limits.driftMargin)} either way`,
    failed: 'Compare what both versions return for the same inputs.',
  },
  ratio: {
    title: 'Selection',
    compares: ({ many }) => `${capitalized(many)} selected for the new version, with the share that was planned`,
    limit: () => 'as planned',
    failed: 'Something selects otherwise than planned: look for devices that got the version by another way.',
    suspicious: () => 'Look for devices that got the version by another way.',
  },
  'new-failures': {
    title: 'Failures of new devices',
    compares: () => 'New devices that nobody vouches for and that failed, with the share that may',
    limit: ({ limits }) => exactPercent(limits.failureRate),
    failed: 'Resume to accept them, or have the app’s backend vouch for devices.',
    devices: 'failed',
  },
  surge: {
    title: 'Surge of new devices',
    compares: () => 'New devices that nobody vouches for, with how many are usual',
    limit: () => '10 times as many as usual, at least 100',
    failed: 'Find out whether somebody uses the app’s key; resume to accept them.',
  },
  cloud: {
    title: 'Cloud half',
    compares: () => 'The last calls of the version’s cloud half, all of which failed',
    limit: () => '3 in a row',
    failed: 'See its error; correct the cloud half, or roll back.',
  },
}

const UNKNOWN: Kind = { title: '', compares: () => '–', limit: () => '–', failed: 'See what it found.' }

/** "0.2 percentage points" */
function points(margin: number): string {
  const value = Number((100 * margin).toPrecision(8))
  return `${value} percentage ${value === 1 ? 'point' : 'points'}`
}

function moreThanControl(margin: number): string {
  return margin === 0 ? 'no more than control' : `control and ${points(margin)}`
}
