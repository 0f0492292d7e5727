/** Rounds shares and times of samples as people do: no more digits than the sample can bear. */
import { count } from './format'

/** From so many on, a share of them is said in percent too; below, "2 of 3" says all. */
const PERCENT_FROM = 10
/** From so many on, a percentage has a decimal. */
const DECIMAL_FROM = 100
/** The smallest sample of which each percentile is more than its slowest members. */
export const PERCENTILE_FROM = { p50: 5, p95: 20, p99: 100 } as const

/** "18.4 %", below 1 % two digits, "0.25 %"; never 0 % or 100 % unless it is exact. */
export function roundPercent(share: number, decimals = 1): string {
  const value = 100 * share
  if (value > 0 && value < 0.0001) return '< 0.0001 %'
  if (share < 1 && value > 100 - 0.5 * 10 ** -decimals) return `> ${100 - 10 ** -decimals} %`
  return `${Number(value < 1 ? value.toPrecision(2) : value.toFixed(decimals))} %`
}

/** A limit that somebody chose is not rounded: "0.25 %". */
export function exactPercent(share: number): string {
  return `${Number((100 * share).toPrecision(8))} %`
}

/** "5 of 50 (10 %)", "2 of 3"; "–" of nothing. */
export function partOfSample(part: number, whole: number): string {
  if (whole === 0) return '–'
  const parts = `${count(part)} of ${count(whole)}`
  return whole < PERCENT_FROM ? parts : `${parts} (${roundPercent(part / whole, whole < DECIMAL_FROM ? 0 : 1)})`
}

/** "0.12 ms", "3.7 ms", "37 ms", "1.2 s", "12 s". */
export function milliseconds(value: number): string {
  if (value >= 1000) return `${Number((value / 1000).toFixed(value < 10_000 ? 1 : 0))} s`
  if (value >= 10) return value < 999.5 ? `${Math.round(value)} ms` : '1 s'
  return `${Number(value < 1 ? value.toPrecision(2) : value.toFixed(1))} ms`
}

/** A percentile of run times; of too few runs the size that it takes, "from 20 runs"; "–" of none. */
export function percentile(name: keyof typeof PERCENTILE_FROM, value: number | null, sample: number): string {
  if (value === null) return '–'
  return sample < PERCENTILE_FROM[name] ? `from ${PERCENTILE_FROM[name]} runs` : milliseconds(value)
}
