import { Preformatted } from './Preformatted'
import classes from './jsonDetails.module.css'

type Props = { label: string; value: unknown; summary?: string }

/** Data as the API has it, on demand. */
export function JsonDetails({ label, value, summary = 'JSON' }: Props) {
  return (
    <details className={classes.details}>
      <summary aria-label={`${summary}: ${label}`}>{summary}</summary>
      <Preformatted label={label}>{JSON.stringify(value, null, 2)}</Preformatted>
    </details>
  )
}
