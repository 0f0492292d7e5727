/** The data of a chart: times in seconds since 1970, then one column per series; null is a gap. */
export type Columns = [times: number[], ...series: (number | null)[][]]

type Schedule = (callback: () => void) => void

/**
 * The points of a live chart, stored outside React.
 *
 * Subscribers are notified once per frame. Beyond `capacity`, the oldest points are dropped.
 */
export class SeriesBuffer {
  readonly columns: Columns
  private readonly listeners = new Set<() => void>()
  private scheduled = false

  constructor(
    series: number,
    private readonly capacity = 10_000,
    private readonly schedule: Schedule = (callback) => requestAnimationFrame(callback),
  ) {
    this.columns = [[], ...Array.from({ length: series }, () => [])] as unknown as Columns
  }

  get length(): number {
    return this.columns[0].length
  }

  /** Adds a point; it replaces the last one if the times are equal. */
  push(at: number, ...values: (number | null)[]): void {
    if (this.columns[0].at(-1) === at) for (const column of this.columns) column.pop()
    const [times, ...series] = this.columns
    times.push(at)
    series.forEach((column, index) => column.push(values[index] ?? null))
    // Dropping many at once costs as little as dropping one.
    if (times.length > this.capacity * 1.25) {
      for (const column of this.columns) column.splice(0, column.length - this.capacity)
    }
    this.notify()
  }

  /** Replaces all points. */
  replace(columns: Columns): void {
    this.columns.forEach((column, index) => column.splice(0, column.length, ...((columns[index] ?? []) as never[])))
    this.notify()
  }

  /** Returns the newest value of each series. */
  latest(): (number | null)[] {
    return this.columns.slice(1).map((column) => column.at(-1) ?? null)
  }

  subscribe(listener: () => void): () => void {
    this.listeners.add(listener)
    return () => {
      this.listeners.delete(listener)
    }
  }

  private notify(): void {
    if (this.scheduled) return
    this.scheduled = true
    this.schedule(() => {
      this.scheduled = false
      for (const listener of this.listeners) listener()
    })
  }
}
