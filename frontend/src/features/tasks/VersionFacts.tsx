import type { ReactNode } from 'react'
import { CopyDigest, CopyText } from '@/components/CopyText'
import { Fact, Facts } from '@/components/Facts'
import { RelativeTime } from '@/components/RelativeTime'
import { bytes, count, plural } from '@/lib/format'
import type { VersionDetail } from './queries'
import classes from './task.module.css'

/** What became of the features that the cloud half was asked about, and why it last failed. */
function cloudHalf(half: NonNullable<VersionDetail['cloud']>): [string, ReactNode] {
  const sums = `${plural(half.answered, 'feature')} answered, ${count(half.unanswered)} not, ${count(half.late)} too late`
  return [
    'Cloud half',
    <>
      <code>{half.main}</code>: {sums}
      {half.error && (
        <div className="muted">
          last failed <RelativeTime at={half.failed_at} />: {half.error}
        </div>
      )}
    </>,
  ]
}

/** Who created a version, when, and its ids for git and devices. */
export function VersionFacts({ detail }: { detail: VersionDetail }) {
  const facts: [string, ReactNode][] = [
    ['Message', <div className={classes.message}>{detail.message || '–'}</div>],
    [
      'Author',
      <>
        {detail.author_name} <span className="muted">{detail.author_email}</span>
      </>,
    ],
    ['Tagged', <RelativeTime at={detail.tagged_at} />],
    ['Registered', <RelativeTime at={detail.created_at} />],
    ['Kind', detail.kind],
    ['Devices get', detail.interpreter ? `bytecode for ${detail.interpreter}` : 'the source'],
    ['Size', `${bytes(detail.total_size)} of shared files`],
    ...(detail.cloud ? [cloudHalf(detail.cloud)] : []),
    ['Git tag', <CopyText text={detail.tag} label="git tag" />],
    ['Commit', <CopyDigest digest={detail.commit} label="commit" />],
    ['Manifest', <CopyDigest digest={detail.manifest_digest} label="digest of the manifest" />],
    ['Signed by', <CopyDigest digest={detail.signed_by} label="key id" />],
  ]
  return (
    <Facts>
      {facts.map(([name, value]) => (
        <Fact key={name} name={name}>
          {value}
        </Fact>
      ))}
    </Facts>
  )
}
