import type { ChangedFile } from '@/lib/diffItems'
import { count } from '@/lib/format'
import classes from './changeSums.module.css'

/** Shows "+12 −3" for texts; "binary" or "exclusive" for others. */
export function ChangeSums({ file: { change, added, removed } }: { file: ChangedFile }) {
  if (change.diff === null) return <span className="muted">{change.omitted ?? ''}</span>
  return (
    <span className={classes.sums}>
      {added > 0 && (
        <span className={classes.addedSum}>
          +{count(added)}
          <span className="visually-hidden"> lines added</span>
        </span>
      )}
      {removed > 0 && (
        <span className={classes.removedSum}>
          −{count(removed)}
          <span className="visually-hidden"> lines removed</span>
        </span>
      )}
    </span>
  )
}
