import { Link } from '@tanstack/react-router'
import { CopyText } from '@/components/CopyText'
import { ErrorNote } from '@/components/ErrorNote'
import { counted, MARGIN } from '@/lib/counted'
import { count, percent, share } from '@/lib/format'
import { devicesMatching } from '@/lib/ruleText'
import { alreadyInstalled } from '../alreadyInstalled'
import type { DraftEvaluation } from '../useDraftEvaluation'
import classes from './matchCount.module.css'
import plain from './plainList.module.css'

const SHOWN = 5

/** The number of devices that the rule matches now, with a link to them. */
export function MatchCount({ app, evaluation }: { app: string; evaluation: DraftEvaluation }) {
  const { preview, countError, rule, validation, plan } = evaluation
  return (
    <aside className={classes.matched} aria-label="Devices that match">
      <h3>Devices that match</h3>
      <div className={classes.bigNumber} data-old={evaluation.isOld} aria-live="polite" aria-busy={evaluation.isOld}>
        {preview ? counted(preview) : '–'}
      </div>
      <div className="muted">
        {preview
          ? `of ${count(preview.total)} (${percent(Math.min(1, share(preview.count, preview.total)), 2)})`
          : 'Counted once the rule is complete.'}
      </div>
      {plan && <p data-installed>{alreadyInstalled(plan)}</p>}
      {preview && !preview.exact && <p className="muted">{MARGIN}</p>}
      {countError !== null && <ErrorNote error={countError} retry={evaluation.retry} />}
      {preview && rule && (
        <Link to="/devices" search={devicesMatching(app, rule)}>
          Show these devices
        </Link>
      )}
      {(preview?.sample ?? []).length > 0 && (
        <>
          <h4>Newest devices</h4>
          <ul className={plain.list}>
            {preview?.sample.slice(0, SHOWN).map((device) => (
              <li key={device}>
                <Link to="/devices/$app/$device" params={{ app, device }}>
                  <code>{device}</code>
                </Link>
              </li>
            ))}
          </ul>
        </>
      )}
      {(validation?.lists ?? []).length > 0 && (
        <>
          <h4>Id lists in the rule</h4>
          <ul className={plain.list}>
            {validation?.lists.map(({ name, size }) => (
              <li key={name}>{`${name}: ${size === null ? 'does not exist' : `${count(size)} ids`}`}</li>
            ))}
          </ul>
        </>
      )}
      {rule && <CopyText text={JSON.stringify(rule)} short="Rule as JSON" label="rule as JSON" />}
    </aside>
  )
}
