/** What arrived, as columns of charts; and what devices said, as small curves. */
import type { Schemas } from '@/api/schemas'
import { share } from '@/lib/format'
import { asObject } from '@/lib/json'
import type { Columns } from '@/lib/seriesBuffer'
import type { Feature } from './choosing'

export type FeatureRates = Schemas['FeatureRates']
type Amount = FeatureRates['amounts'][number]

/** The columns of the charts: features per second; bytes per second before and after; delays. */
export function chartColumns({ at, amounts, step_s }: FeatureRates): Record<'features' | 'bytes' | 'delays', Columns> {
  const perSecond = (name: 'features' | 'raw_bytes' | 'wire_bytes') => amounts.map((each) => each[name] / step_s)
  const column = (name: 'p50_ms' | 'p90_ms' | 'p99_ms') => amounts.map((each: Amount) => each[name])
  return {
    features: [at, perSecond('features')],
    bytes: [at, perSecond('raw_bytes'), perSecond('wire_bytes')],
    delays: [at, column('p50_ms'), column('p90_ms'), column('p99_ms')],
  }
}

/** Which part of the bytes compression saved, between 0 and 1; 0 if it saved none. */
export function savedShare({ raw_bytes, wire_bytes }: Pick<Amount, 'raw_bytes' | 'wire_bytes'>): number {
  return share(Math.max(0, raw_bytes - wire_bytes), raw_bytes)
}

/** The points of a curve in a box of this size, as an SVG polyline has them; the lowest value is at the bottom. */
export function curvePoints(values: readonly number[], width: number, height: number, fromZero = false): string {
  const low = Math.min(...values, ...(fromZero ? [0] : []))
  const span = Math.max(...values) - low || 1
  const step = values.length > 1 ? width / (values.length - 1) : 0
  return values
    .map((value, index) => `${round(index * step)},${round(height - ((value - low) / span) * height)}`)
    .join(' ')
}

function round(value: number): number {
  return Number(value.toFixed(1))
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
