/** A number of devices that may be an estimate from a sample. */
import { count, plural } from './format'

export type Counted = { count: number; exact: boolean; margin: number }

export const MARGIN = 'An estimate from a sample of the fleet, with a 95 % margin of error.'

/** Formats a number: "1,204"; an estimate as "about 83,000 ± 2,100", or "at most about 47" if the sample has none. */
export function counted({ count: number, exact, margin }: Counted): string {
  if (exact) return count(number)
  if (number === 0) return `at most about ${count(margin)}`
  return margin > 0 ? `about ${count(number)} ± ${count(margin)}` : `about ${count(number)}`
}

/** "1,204 devices" */
export function countedDevices(of: Counted): string {
  return of.exact ? plural(of.count, 'device') : `${counted(of)} devices`
}
