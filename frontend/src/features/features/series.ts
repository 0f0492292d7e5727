/** What arrived, as columns of charts; and what devices said, as small curves. */
import type { Schemas } from '@/api/schemas'
import { share } from '@/lib/format'
import { asObject } from '@/lib/json'
import type { Columns } from '@/lib/seriesBuffer'
import type { Feature } from './choosing'

export type FeatureRates = Schemas['FeatureRates']
type Bytes = { raw_bytes: number; wire_bytes: number }

/** The columns of the charts: features per second; bytes per second before and after; delays. */
export function chartColumns(rates: FeatureRates): Record<'features' | 'bytes' | 'delays', Columns> {
  const { at, step_s } = rates
  const perSecond = (column: number[]) => column.map((each) => each / step_s)
  return {
    features: [at, perSecond(rates.features)],
    bytes: [at, perSecond(rates.raw_bytes), perSecond(rates.wire_bytes)],
    delays: [at, rates.p50_ms, rates.p90_ms, rates.p99_ms],
  }
}

/** Which part of the bytes compression saved, between 0 and 1; 0 if it saved none. */
export function savedShare({ raw_bytes, wire_bytes }: Bytes): number {
  return share(Math.max(0, raw_bytes - wire_bytes), raw_bytes)
}

const SHORTEST_CURVE = 3
const LONGEST_CURVE = 256

/** Returns a list of numbers that can be drawn as a curve, such as an encoding; null for anything else. */
export function curveOf(value: unknown): number[] | null {
  const isCurve = Array.isArray(value) && value.length >= SHORTEST_CURVE && value.length <= LONGEST_CURVE
  return isCurve && value.every((each) => typeof each === 'number') ? value : null
}

/** A number that features have, with its values from the oldest to the newest. */
export type NumberSeries = { name: string; values: number[] }

const MOST_NAMES = 12

/** Returns the numbers that these features have, of each its values; the features come newest first. */
export function numbersIn(features: readonly Feature[]): NumberSeries[] {
  const found = new Map<string, number[]>()
  for (const { values } of [...features].reverse()) {
    for (const [name, value] of Object.entries(asObject(values))) {
      if (typeof value === 'number') found.set(name, [...(found.get(name) ?? []), value])
    }
  }
  return [...found].slice(0, MOST_NAMES).map(([name, values]) => ({ name, values }))
}
