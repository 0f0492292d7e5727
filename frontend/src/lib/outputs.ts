/** What tasks cost and gave, in words. */
import { asObject, valueText } from './json'

const MOST_PARTS = 4
const LONGEST = 40

/** "1.25 ms", "1.5 s" */
export function milliseconds(value: number | null): string {
  if (value === null) return '–'
  const [amount, unit] = value < 1000 ? [value, 'ms'] : [value / 1000, 's']
  return `${Number(amount.toPrecision(3))} ${unit}`
}

/** "0.12 s" of CPU time */
export function cpuText(seconds: number): string {
  return `${Number(seconds.toPrecision(3))} s`
}

/** The first members of an output on a line: values as they are, of lists and objects how much is in them. */
export function plainParts(output: unknown): [name: string, value: string][] {
  return Object.entries(asObject(output))
    .slice(0, MOST_PARTS)
    .map(([name, value]) => [name, brief(value)])
}

function brief(value: unknown): string {
  if (Array.isArray(value)) return `[${value.length}]`
  if (typeof value === 'object' && value !== null) return `{${Object.keys(value).length}}`
  const text = valueText(value)
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text
}
