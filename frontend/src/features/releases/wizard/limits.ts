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

/** What a limit means, with its number; '' is what the server fills in. */
export function limitMeaning(name: LimitName, value: number | '', others: { stop_after: number | '' }): string {
  const part = value === '' ? 'the usual share' : percent(value, 4)
  switch (name) {
    case 'failure_rate':
      return `Rolled back when surely more than ${part} of the devices fail.`
    case 'stop_rate':
      return `Rolled back at once when ${part} fail, after ${others.stop_after === '' ? 'a few' : others.stop_after} reports.`
    case 'stop_after':
      return 'How many reports the stop rate waits for.'
    case 'failure_margin':
      return `Up to ${part} more failures than of those held back are forgiven.`
    case 'silent_share':
      return `Without devices held back: rolled back when more than ${part} fall silent.`
    case 'silence_margin':
      return `Up to ${part} more silent devices than of those held back are forgiven.`
    case 'latency_ms':
      return value === '' ? 'Not looked at.' : `Rolled back when runs surely take longer than ${count(value)} ms.`
    case 'latency_quantile':
      return `The latency is that of the run slower than ${part} of all.`
    case 'slowdown_margin':
      return `Up to ${part} more slow runs than of those held back are forgiven.`
    case 'drift_margin':
      return `The metric may move by ${part} of the devices, either way.`
  }
}
