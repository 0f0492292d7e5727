import { Panel } from '@/components/Page'
import { RelativeTime } from '@/components/RelativeTime'
import { ShareBar } from '@/components/ShareBar'
import { StatusMark } from '@/components/StatusMark'
import { audienceWords } from '@/lib/audience'
import type { ReleaseDetail, Schemas } from '@/api/schemas'

type Props = { release: ReleaseDetail; watch: Schemas['CompletionWatch'] }

/** How a complete release keeps to its limit in the present period. */
export default function AfterComplete({ release, watch }: Props) {
  const { period, period_began_at: beganAt, reported, failed, sentence, exceeded_at: exceededAt } = watch
  const tone = exceededAt === null ? 'ok' : 'bad'
  const beside = (
    <span className="note">
      period {period}, began <RelativeTime at={beganAt} />
    </span>
  )
  return (
    <Panel title="After completion" beside={beside}>
      <p data-after-complete={tone}>
        <StatusMark tone={tone}>
          {exceededAt === null ? (
            'Watched, and within its limit'
          ) : (
            <>
              Exceeds its limit since <RelativeTime at={exceededAt} />
            </>
          )}
        </StatusMark>
      </p>
      <ShareBar
        part={failed}
        whole={Math.max(reported, 1)}
        tone={tone}
        label={`${audienceWords(release.kind).many} failed in this period`}
      />
      <p className="note">
        {sentence === '' ? 'Nothing was counted yet.' : `${sentence}.`} Watched until a newer release takes its place.
      </p>
    </Panel>
  )
}
