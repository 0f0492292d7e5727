import type { ReleaseDetail } from '@/api/schemas'
import { EmptyState } from '@/components/EmptyState'
import { Panel } from '@/components/Page'
import { audienceWords } from '@/lib/audience'
import { RelativeTime } from '@/components/RelativeTime'
import { StatusMark } from '@/components/StatusMark'
import { Table, TextCell } from '@/components/Table'
import type { Tone } from '@/lib/tone'
import { hasEnded } from './releaseSteps'
import { readFindings, type Finding } from './figures'
import classes from './releases.module.css'

type Kind = ReleaseDetail['verdicts'][number]['kind']

const KINDS: Record<Kind, { tone: Tone; word: string }> = {
  pass: { tone: 'ok', word: 'Pass' },
  fail: { tone: 'bad', word: 'Fail' },
  error: { tone: 'attention', word: 'Error' },
  inconclusive: { tone: 'none', word: 'Inconclusive' },
}

/** The last verdict, and the result of each test. */
export function Findings({ release }: { release: ReleaseDetail }) {
  const verdict = release.verdicts.at(-1)
  if (!verdict) {
    return (
      <Panel title="Verdict">
        {hasEnded(release.state) ? (
          <EmptyState title="No verdict">
            The release ended before any {audienceWords(release.kind).one} reported.
          </EmptyState>
        ) : (
          <EmptyState title="No verdict yet">The first verdict follows the first reports.</EmptyState>
        )}
      </Panel>
    )
  }
  const { tone, word } = KINDS[verdict.kind]
  const when = (
    <span className="note">
      <RelativeTime at={verdict.at} />
    </span>
  )
  return (
    <Panel title="Verdict" beside={when}>
      <div className={classes.line}>
        <StatusMark tone={tone}>{word}</StatusMark> <span data-verdict={verdict.kind}>{verdict.sentence}</span>
      </div>
      <Table label="Tests" columns={['Test', 'Result', 'Finding']}>
        {readFindings(verdict.evidence).map((finding) => (
          <tr key={finding.test}>
            <th scope="row">{finding.test}</th>
            <td>
              <FindingMark finding={finding} />
            </td>
            <TextCell>
              {finding.sentence}
              {finding.doubt && `, but ${finding.doubt}`}
            </TextCell>
          </tr>
        ))}
      </Table>
    </Panel>
  )
}

function FindingMark({ finding }: { finding: Finding }) {
  if (finding.objects) return <StatusMark tone="bad">Fails</StatusMark>
  if (finding.leans) return <StatusMark tone="attention">Suspicious</StatusMark>
  return <StatusMark tone="ok">Passes</StatusMark>
}
