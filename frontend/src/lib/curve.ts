/** Returns the points of a curve in a box of this size, as an SVG polyline has them; the lowest value is at the bottom. */
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
