import { StatusMark } from '@/components/StatusMark'
import { warningSentence, type PlanWarning } from './warnings'
import classes from './planView.module.css'

/** What should be looked at before the release is created. */
export function WarningList({ warnings }: { warnings: readonly PlanWarning[] }) {
  if (warnings.length === 0) return null
  return (
    <div aria-live="polite">
      {warnings.map((warning) => (
        <div key={warning.field + warning.detail} className={classes.warning} data-warning={warning.field}>
          <StatusMark tone="attention">{warningSentence(warning)}</StatusMark>
        </div>
      ))}
    </div>
  )
}
