/** Which cards of the page have something to show when it is opened, and where they stand then. */
import type { Concern } from './attention'
import { byAcknowledgement } from './attention'

/** A card below what needs attention, which stands first. */
export type Card = 'activity' | 'releases' | 'coverage'
export type Contents = Record<Card | 'attention', boolean>

type Fleet = { attention: readonly Pick<Concern, 'acknowledged'>[]; releases: readonly unknown[]; devices: number }

/** Returns which cards have something to show. Without devices, coverage says how they come. */
export function contentsOf({ attention, releases, devices }: Fleet): Contents {
  return {
    attention: byAcknowledgement(attention).open.length > 0,
    activity: devices > 0,
    releases: releases.length > 0,
    coverage: true,
  }
}

const USUAL: readonly Card[] = ['activity', 'releases', 'coverage']

/** Returns the cards below what needs attention, from top to bottom: those with nothing to show come last. */
export function orderOf(contents: Contents): Card[] {
  return [...USUAL.filter((card) => contents[card]), ...USUAL.filter((card) => !contents[card])]
}
