import { Link } from '@tanstack/react-router'
import type { ReleaseDetail } from '@/api/schemas'
import { EmptyState } from '@/components/EmptyState'
import { Panel } from '@/components/Page'
import { audienceWords } from '@/lib/audience'
import { RelativeTime } from '@/components/RelativeTime'
import { ShareBar } from '@/components/ShareBar'
import { StatusMark } from '@/components/StatusMark'
import { Table, TextCell } from '@/components/Table'
import type { Tone } from '@/lib/tone'
import { hasEnded } from './releaseSteps'
import { checksOf, type Check } from './checks'
import classes from './releases.module.css'

type Kind = ReleaseDetail['verdicts'][number]['kind']

const KINDS: Record<Kind, { tone: Tone; word: string }> = {
  pass: { tone: 'ok', word: 'Pass' },
  fail: { tone: 'bad', word: 'Fail' },
  error: { tone: 'attention', word: 'Error' },
  inconclusive: { tone: 'none', word: 'Inconclusive' },
}

/** The last verdict, and each of its checks: what it compares, how near it is, what to do. */
export default function Findings({ release }: { release: ReleaseDetail }) {
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
      decided <RelativeTime at={verdict.at} />
    </span>
  )
  return (
    <Panel title="Verdict" beside={when}>
      <div className={classes.line}>
        <StatusMark tone={tone}>{word}</StatusMark> <span data-verdict={verdict.kind}>{verdict.sentence}</span>
      </div>
      <Table
        label="Checks"
        columns={['Check', 'What it compares', 'Limit', 'How near it is', 'What to do']}
        minWidth={960}
      >
        {checksOf(release, verdict.evidence).map((check) => (
          <tr key={check.test} data-check={check.test} data-check-state={check.state}>
            <th scope="row">
              <span className={classes.check}>
                {check.title}
                <CheckMark state={check.state} />
              </span>
            </th>
            <TextCell>
              {check.compares}.<div className="note">At the decision: {check.found}.</div>
            </TextCell>
            <TextCell>{check.limit}</TextCell>
            <TextCell>
              <ShareBar
                part={Math.round(100 * check.near)}
                whole={100}
                tone={STATES[check.state].tone}
                label={`of the evidence with which ${check.title} fails`}
              />
              <span className="note">{check.nearness}</span>
            </TextCell>
            <TextCell>
              {check.advice}{' '}
              {check.devices && (
                <Link to="/releases/$id/devices" params={{ id: String(release.id) }} search={{ became: check.devices }}>
                  Show these {audienceWords(release.kind).many}
                </Link>
              )}
            </TextCell>
          </tr>
        ))}
      </Table>
      <p className="note">
        How near: the odds, by all reports until the decision, that the limit is exceeded. They may be looked at after
        each report; a check fails once they are high enough.
      </p>
    </Panel>
  )
}

const STATES: Record<Check['state'], { tone: Tone; word: string }> = {
  fails: { tone: 'bad', word: 'Fails' },
  suspicious: { tone: 'attention', word: 'Suspicious' },
  passes: { tone: 'ok', word: 'Passes' },
}

function CheckMark({ state }: { state: Check['state'] }) {
  return <StatusMark tone={STATES[state].tone}>{STATES[state].word}</StatusMark>
}
