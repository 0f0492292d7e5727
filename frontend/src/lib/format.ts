/** Numbers as people read them. */
const whole = new Intl.NumberFormat('en')
const short = new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 3 })
const BYTES = ['B', 'KiB', 'MiB', 'GiB', 'TiB']

/** 1,234,567 */
export function count(value: number): string {
  return whole.format(value)
}

/** 1.23M */
export function compact(value: number): string {
  return short.format(value)
}

/** A share between 0 and 1: "12.5 %", "< 0.1 %"; never 0 % or 100 % of what is neither. */
export function percent(share: number, digits = 1): string {
  const smallest = 10 ** -digits / 100
  if (share > 0 && share < smallest) return `< ${(smallest * 100).toFixed(digits)} %`
  if (share < 1 && share > 1 - smallest) return `> ${(100 - smallest * 100).toFixed(digits)} %`
  return `${Number((share * 100).toFixed(digits))} %`
}

/** Per second: three digits at most. */
export function rate(perSecond: number): string {
  if (perSecond >= 1000) return compact(perSecond)
  return String(Number(perSecond.toPrecision(3)))
}

/** 1.5 MiB */
export function bytes(value: number): string {
  const power = Math.min(BYTES.length - 1, Math.floor(Math.log2(Math.max(1, value)) / 10))
  const scaled = value / 1024 ** power
  return `${power === 0 ? scaled : scaled.toFixed(scaled < 10 ? 1 : 0)} ${BYTES[power] ?? 'B'}`
}
