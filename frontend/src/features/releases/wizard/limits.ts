/** The limits of a strategy, in words. */
import { count, percent } from '@/lib/format'
import type { LimitName } from './strategy'

export const LIMIT_LABELS: Record<LimitName, string> = {
  failure_rate: 'Failure rate',
  latency_ms: 'Latency, ms',
  stop_rate: 'Stop rate',
  stop_after: 'Stop after, reports',
  failure_margin: 'Failure margin',
  silent_share: 'Silent share',
  silence_margin: 'Silence margin',
  latency_quantile: 'Latency quantile',
  slowdown_margin: 'Slowdown margin',
  drift_margin: 'Drift margin',
}

/** Describes a limit with its number; '' stands for the server's default. */
export function limitMeaning(name: LimitName, value: number | '', others: { stop_after: number | '' }): string {
  const part = value === '' ? 'the default share' : percent(value, 4)
  switch (name) {
    case 'failure_rate':
      return `Rolled back when statistically more than ${part} of the devices fail.`
    case 'stop_rate':
      return `Rolled back at once when ${part} fail, after ${others.stop_after === '' ? 'a few' : others.stop_after} reports.`
    case 'stop_after':
      return 'Minimum number of reports before the stop rate applies.'
    case 'failure_margin':
      return `Tolerates up to ${part} more failures than in the control group.`
    case 'silent_share':
      return `Without a control group: rolled back when more than ${part} fall silent.`
    case 'silence_margin':
      return `Tolerates up to ${part} more silent devices than in the control group.`
    case 'latency_ms':
      return value === '' ? 'Not checked.' : `Rolled back when runs statistically take longer than ${count(value)} ms.`
    case 'latency_quantile':
      return `The quantile of run times to which the latency limit applies: ${part}.`
    case 'slowdown_margin':
      return `Tolerates up to ${part} more slow runs than in the control group.`
    case 'drift_margin':
      return `The metric may shift by ${part} of the devices in either direction.`
  }
}
