import type { ReleaseDetail } from '@/api/schemas'
import { JsonDetails } from '@/components/JsonDetails'
import { Panel } from '@/components/Page'
import { RelativeTime } from '@/components/RelativeTime'
import { ruleSentence } from '@/lib/ruleSentence'
import { strategySentences } from './strategySentences'
import classes from './releases.module.css'

/** Who receives the release, and how it proceeds: in sentences, and as the API has it. */
export default function RuleAndStrategy({ release }: { release: ReleaseDetail }) {
  const beside = (
    <span className="note">
      created by {release.created_by}, <RelativeTime at={release.created_at} />
    </span>
  )
  return (
    <Panel title="Rule and strategy" beside={beside}>
      <p data-rule>{ruleSentence(release.rule, release.kind)}</p>
      <JsonDetails label="Rule" summary="Rule as JSON" value={release.rule} />
      <ul className={classes.sentences} aria-label="Strategy">
        {strategySentences(release).map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
      <JsonDetails label="Strategy" summary="Strategy as JSON" value={release.strategy} />
    </Panel>
  )
}
