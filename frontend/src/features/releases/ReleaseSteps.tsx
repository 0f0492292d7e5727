import type { ReleaseDetail } from '@/api/schemas'
import { RelativeTime } from '@/components/RelativeTime'
import { StatusMark } from '@/components/StatusMark'
import { useClock } from '@/hooks/useNow'
import { TONE_COLOR } from '@/lib/tone'
import { lateText, stepsOf, nextStep } from './releaseSteps'
import { MARKS } from './progressMarks'
import classes from './releases.module.css'

/** The steps of the release, its present one, and what it waits for. */
export function ReleaseSteps({ release }: { release: ReleaseDetail }) {
  const next = useClock((now) => nextStep(release, now))
  return (
    <section aria-label="Where it stands" className={classes.courseBox}>
      <ol className={classes.course}>
        {stepsOf(release).map(({ key, label, progress, at, late }) => {
          const { tone, icon: Icon, word } = MARKS[progress]
          const here = progress === 'now' || progress === 'held' || progress === 'ended'
          return (
            <li key={key} className={classes.step} data-progress={progress} aria-current={here ? 'step' : undefined}>
              <span className={classes.stepName}>
                <Icon size={14} aria-hidden="true" style={{ color: TONE_COLOR[tone] }} />
                {label}
              </span>
              <span className="note">{word}</span>
              {late > 0 && <StatusMark tone="attention">{lateText(late)}</StatusMark>}
              {at && (
                <span className="note">
                  <RelativeTime at={at} />
                </span>
              )}
            </li>
          )
        })}
      </ol>
      <p className={`note ${classes.next}`}>{next}</p>
    </section>
  )
}
