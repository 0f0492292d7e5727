/** Which version answers which callers, in words. */
import type { Schemas } from '@/api/schemas'

export type Offering = Schemas['Offering']

/** "1.2.0 for 20 % in market", "1.1.0 for all in market" */
export function offeringWords({ app, version, share_percent: share, mode }: Offering): string {
  const held = mode === 'held' ? ', on hold' : ''
  return `${version} for ${shareWords(share)} in ${app}${held}`
}

export function shareWords(share: number): string {
  return share >= 100 ? 'all' : `${Number(share.toPrecision(3))} %`
}
