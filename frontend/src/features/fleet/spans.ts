/** The time spans of the fleet's charts. */
export const SPANS = ['15m', '1h', '6h', '48h'] as const
export type Span = (typeof SPANS)[number]

export const USUAL_SPAN: Span = '15m'
export const MINUTES: Record<Span, number> = { '15m': 15, '1h': 60, '6h': 360, '48h': 2880 }
