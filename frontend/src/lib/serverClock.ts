/** The server's clock, by which times are told: the clock of whoever looks may be wrong. */
const NEGLIGIBLE_MS = 5_000
let ahead = 0

/** Learns from the `Date` of an answer, which is in whole seconds; small differences are those of the way. */
export function learnServerTime(date: string | null, now = Date.now()): void {
  const difference = Date.parse(date ?? '') - now
  if (Number.isNaN(difference)) return
  ahead = Math.abs(difference) < NEGLIGIBLE_MS ? 0 : difference
}

/** Milliseconds since 1970, as the server counts them. */
export function serverNow(): number {
  return serverTime(Date.now())
}

/** What this computer's clock said, by the server's. */
export function serverTime(local: number): number {
  return local + ahead
}
