/** The server's clock, used for all times because the person's clock may be wrong. */
const NEGLIGIBLE_MS = 5_000
let ahead = 0

/** Sets the clock from the `Date` of an answer, which is in whole seconds; small differences are network delays. */
export function learnServerTime(date: string | null, now = Date.now()): void {
  const difference = Date.parse(date ?? '') - now
  if (Number.isNaN(difference)) return
  ahead = Math.abs(difference) < NEGLIGIBLE_MS ? 0 : difference
}

/** Returns milliseconds since 1970 by the server's clock. */
export function serverNow(): number {
  return serverTime(Date.now())
}

/** Converts a time of this computer's clock to the server's. */
export function serverTime(local: number): number {
  return local + ahead
}
