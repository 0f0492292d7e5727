/** The time spans of the fleet's charts. */
export const SPANS = ['15m', '1h', '6h', '48h'] as const
export type Span = (typeof SPANS)[number]

export const USUAL_SPAN: Span = '15m'
/** Returns the shortest span, at least `least`, that reaches back to a time; both times are in seconds since 1970. */
export function spanSince(from: number, now: number, least: Span): Span {
  const longer = SPANS.slice(SPANS.indexOf(least))
  return longer.find((span) => now - from <= MINUTES[span] * 60) ?? '48h'
}

export const MINUTES: Record<Span, number> = { '15m': 15, '1h': 60, '6h': 360, '48h': 2880 }
