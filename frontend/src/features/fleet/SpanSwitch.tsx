import { SegmentedControl } from '@mantine/core'
import { SPANS, type Span } from './spans'

const SPAN_NAMES: Record<Span, string> = { '15m': '15 min', '1h': '1 h', '6h': '6 h', '48h': '48 h' }

/** A choice of the time span of the charts. */
export function SpanSwitch({ span, onChange }: { span: Span; onChange: (span: Span) => void }) {
  return (
    <SegmentedControl
      aria-label="Time span of the charts"
      size="sm"
      data={SPANS.map((value) => ({ value, label: SPAN_NAMES[value] }))}
      value={span}
      onChange={onChange}
    />
  )
}
