import { SegmentedControl } from '@mantine/core'
import { SPAN_NAMES, SPANS, USUAL_SPAN, type Span } from './search'

type Props = { span: Span | undefined; onChange: (span: Span | undefined) => void }

/** A choice of the time span of the charts. */
export function SpanSwitch({ span = USUAL_SPAN, onChange }: Props) {
  return (
    <SegmentedControl
      aria-label="Time span of the charts"
      size="sm"
      data={(Object.keys(SPANS) as Span[]).map((value) => ({ value, label: SPAN_NAMES[value] }))}
      value={span}
      onChange={(chosen) => onChange(chosen === USUAL_SPAN ? undefined : chosen)}
    />
  )
}
