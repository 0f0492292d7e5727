import type { ReleaseDetail } from '@/api/schemas'
import { Panel, PanelRow } from '@/components/Page'
import { RelativeTime } from '@/components/RelativeTime'
import { audienceWords } from '@/lib/audience'
import { pretty } from '@/lib/ruleText'
import classes from './releases.module.css'

/** The rule and the strategy of the release. */
export function RuleAndStrategy({ release }: { release: ReleaseDetail }) {
  const beside = (
    <span className="note">
      created by {release.created_by}, <RelativeTime at={release.created_at} />
    </span>
  )
  return (
    <Panel title="Rule and strategy" beside={beside}>
      <details className={classes.details}>
        <summary>Which {audienceWords(release.kind).many} receive it, and how the release proceeds</summary>
        <PanelRow>
          <pre className={classes.log} tabIndex={0} aria-label="Rule">
            {pretty(release.rule)}
          </pre>
          <pre className={classes.log} tabIndex={0} aria-label="Strategy">
            {pretty(release.strategy)}
          </pre>
        </PanelRow>
      </details>
    </Panel>
  )
}
