/** What is looked at of serving: the pages' addresses. */
import { choice, text } from '@/lib/search'
import { readTimePart, type TimePartSearch } from '@/lib/timePart'

/** The time spans of the charts, in minutes. */
export const SPANS = { '15m': 15, '1h': 60, '6h': 360, '24h': 1440 } as const
export type Span = keyof typeof SPANS
export const SPAN_NAMES: Record<Span, string> = { '15m': '15 min', '1h': '1 h', '6h': '6 h', '24h': '24 h' }
export const USUAL_SPAN: Span = '1h'

/** `from` and `to` show a part of the time span. */
type Spanned = { span?: Span | undefined } & TimePartSearch
/** `q` is part of the pipelines' names, `host` the host whose charts are shown. */
export type ServingSearch = Spanned & { q?: string | undefined; host?: string | undefined }
/** `version` is the one whose latency and plan are shown, `stage` the plan stage that is selected in the graph. */
export type PipelineSearch = Spanned & { version?: string | undefined; stage?: string | undefined }

export function readServingSearch(search: Record<string, unknown>): ServingSearch {
  return { q: text(search, 'q'), host: text(search, 'host'), ...readSpan(search) }
}

export function readPipelineSearch(search: Record<string, unknown>): PipelineSearch {
  return { version: text(search, 'version'), stage: text(search, 'stage'), ...readSpan(search) }
}

function readSpan(search: Record<string, unknown>): Spanned {
  return { span: choice(search, 'span', Object.keys(SPANS) as Span[]), ...readTimePart(search) }
}
