/** A logarithmic scale. */

/** Three quantiles of something: its median, nine tenths of it, 99 of 100. */
export type Quantiles = { p50: number; p90: number; p99: number }

/** From where to where it reaches: whole powers of ten. */
export type Scale = { from: number; to: number }

/** A scale with room for all of these, from the lowest median; null if there are none. */
export function scaleOf(all: readonly (Quantiles | null)[]): Scale | null {
  const found = all.filter((each) => each !== null)
  if (found.length === 0) return null
  const from = 10 ** Math.floor(Math.log10(Math.min(...found.map(({ p50 }) => p50))))
  const to = 10 ** Math.ceil(Math.log10(Math.max(...found.map(({ p99 }) => p99))))
  return { from, to: Math.max(to, from * 10) }
}

/** Where a value stands between 0 and 1. */
export function placeOf(value: number, { from, to }: Scale): number {
  return Math.log(value / from) / Math.log(to / from)
}

/** The powers of ten on the scale, ends included. */
export function ticksOf({ from, to }: Scale): number[] {
  const decades = Math.round(Math.log10(to / from))
  return Array.from({ length: decades + 1 }, (_, decade) => from * 10 ** decade)
}
