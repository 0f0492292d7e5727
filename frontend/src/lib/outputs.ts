/** What tasks cost and gave, in words. */
import { asObject, valueText } from './json'

const MOST_PARTS = 4
const LONGEST = 40

/** Units of time: from how many milliseconds on each is used, how many it has, its name. */
const UNITS = [
  [172_800_000, 86_400_000, 'd'],
  [7_200_000, 3_600_000, 'h'],
  [120_000, 60_000, 'min'],
  [1000, 1000, 's'],
] as const

/** "1.25 ms", "1.5 s", "3 min" */
export function milliseconds(value: number | null): string {
  if (value === null) return '–'
  const [, length, unit] = UNITS.find(([from]) => value >= from) ?? [0, 1, 'ms']
  return `${Number((value / length).toPrecision(3))} ${unit}`
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
