/** Formats numbers for people. */
const whole = new Intl.NumberFormat('en')
const short = new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 3 })
const BYTES = ['B', 'KiB', 'MiB', 'GiB', 'TiB']

/** 1,234,567 */
export function count(value: number): string {
  return whole.format(value)
}

/** "1 device", "1,204 devices" */
export function plural(value: number, noun: string): string {
  return `${count(value)} ${noun}${value === 1 ? '' : 's'}`
}

/** Capitalizes the first letter. */
export function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** Formats a share between 0 and 1: "12.5 %", "< 0.1 %"; never 0 % or 100 % unless it is exact. */
export function percent(share: number, digits = 1): string {
  const smallest = 10 ** -digits / 100
  if (share > 0 && share < smallest) return `< ${(smallest * 100).toFixed(digits)} %`
  if (share < 1 && share > 1 - smallest) return `> ${(100 - smallest * 100).toFixed(digits)} %`
  return `${Number((share * 100).toFixed(digits))} %`
}

/** Formats a share in millionths exactly: "0.0001 %". */
export function millionths(share: number): string {
  return `${Number((share / 10_000).toFixed(4))} %`
}

/** Returns a share between 0 and 1; 0 of nothing. */
export function share(part: number, whole: number): number {
  return whole > 0 ? part / whole : 0
}

/** "3 (25 %)" */
export function partOf(part: number, whole: number): string {
  return `${count(part)} (${percent(share(part, whole))})`
}

/** Formats a rate per second with at most three digits. */
export function rate(perSecond: number): string {
  if (perSecond >= 1000) return short.format(perSecond)
  return String(Number(perSecond.toPrecision(3)))
}

/** 1.5 MiB */
export function bytes(value: number): string {
  const power = Math.min(BYTES.length - 1, Math.floor(Math.log2(Math.max(1, value)) / 10))
  const scaled = value / 1024 ** power
  return `${power === 0 ? scaled : scaled.toFixed(scaled < 10 ? 1 : 0)} ${BYTES[power] ?? 'B'}`
}
