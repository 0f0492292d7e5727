/** What is shown of an array's numbers. */

export type Summary = {
  least: number
  most: number
  mean: number
  /** How many are NaN or infinite; these are in nothing else. */
  notFinite: number
  zeros: number
  /** How many numbers are in each of equally wide ranges from the least to the most. */
  counts: number[]
}

const RANGES = 40

/** Returns null if no number is finite. */
export function summarize(values: Float64Array | readonly number[], ranges: number = RANGES): Summary | null {
  let [least, most, sum, finite, zeros] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0, 0, 0]
  for (const value of values) {
    if (!Number.isFinite(value)) continue
    least = Math.min(least, value)
    most = Math.max(most, value)
    sum += value
    finite += 1
    zeros += value === 0 ? 1 : 0
  }
  if (finite === 0) return null
  const counts = Array.from({ length: least === most ? 1 : ranges }, () => 0)
  // Half of each, so that the difference of the largest numbers is finite.
  const width = most / 2 - least / 2
  for (const value of values) {
    if (!Number.isFinite(value)) continue
    const place = width > 0 ? Math.floor(((value / 2 - least / 2) / width) * counts.length) : 0
    const range = Math.min(place, counts.length - 1)
    counts[range] = (counts[range] ?? 0) + 1
  }
  return { least, most, mean: sum / finite, notFinite: values.length - finite, zeros, counts }
}
