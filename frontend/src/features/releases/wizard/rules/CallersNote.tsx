import { CopyText } from '@/components/CopyText'
import type { DraftEvaluation } from '../useDraftEvaluation'
import classes from './matchCount.module.css'

/** What is known of the callers of a pipeline before they call. */
export function CallersNote({ evaluation: { rule } }: { evaluation: DraftEvaluation }) {
  return (
    <aside className={classes.matched} aria-label="Callers that match">
      <h3>Callers that match</h3>
      <p>Callers are the users whom services name, and calling devices. They are not counted before they call.</p>
      <p className="muted">
        Attributes are those that the caller’s service sends with a request, those that a device claims, and those that
        the cloud holds. Which share of the callers each stage reaches is in the next step.
      </p>
      {rule && <CopyText text={JSON.stringify(rule)} short="Rule as JSON" label="rule as JSON" />}
    </aside>
  )
}
