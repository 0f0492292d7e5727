/** Returns the row that a key leads to; null if it leads to none. */
export function nextRow(key: string, active: number, count: number, page: number): number | null {
  const targets: Record<string, number> = {
    ArrowDown: active + 1,
    j: active + 1,
    ArrowUp: active - 1,
    k: active - 1,
    PageDown: active + page,
    PageUp: active - page,
    Home: 0,
    End: count - 1,
  }
  const to = targets[key]
  return to === undefined || count === 0 ? null : Math.max(0, Math.min(count - 1, to))
}

/** Returns these indexes in order, with that of this row. */
export function withRow(places: readonly number[], row: number): number[] {
  return row < 0 || places.includes(row) ? [...places] : [...places, row].sort((one, other) => one - other)
}
