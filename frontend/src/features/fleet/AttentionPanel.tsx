import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { memo, useState, type ReactNode } from 'react'
import { FoldedPanel } from '@/components/FoldedPanel'
import { ReleaseLink } from '@/components/links'
import { Panel } from '@/components/Page'
import { RelativeTime } from '@/components/RelativeTime'
import { StatusMark } from '@/components/StatusMark'
import { useRights } from '@/hooks/useRights'
import { taskPath } from '@/lib/taskName'
import { AcknowledgeButton } from './AcknowledgeButton'
import { byAcknowledgement, placeOf, summary, URGENCIES, type Concern, type Place } from './attention'
import classes from './fleet.module.css'

const TITLE = 'Needs attention'

type Props = {
  concerns: readonly Concern[]
  /** Whether it is one line until somebody asks for more. */
  isFolded: boolean
}

/** The concerns that need attention, the most urgent first; acknowledged ones are folded away. */
export const AttentionPanel = memo(function AttentionPanel({ concerns, isFolded }: Props) {
  const [showsAll, setShowsAll] = useState(false)
  const [isUnfolded, setUnfolded] = useState(!isFolded)
  const { open, acknowledged } = byAcknowledgement(concerns)
  const shown = showsAll ? [...open, ...acknowledged] : open
  if (!isUnfolded) {
    return (
      <Folded
        open={open}
        acknowledged={acknowledged.length}
        onUnfold={() => {
          setUnfolded(true)
          setShowsAll(open.length === 0)
        }}
      />
    )
  }
  return (
    <Panel title={TITLE} beside={<span className="note">{summary(open)}</span>}>
      <div className={classes.attention} tabIndex={0} role="region" aria-label="What needs attention">
        {concerns.length === 0 && <Nothing />}
        {open.length === 0 && acknowledged.length > 0 && <p className="note">Nothing else needs attention.</p>}
        {shown.length > 0 && (
          <ul className={classes.concerns}>
            {shown.map((concern) => (
              <Row key={`${concern.kind} ${concern.target} ${concern.title}`} concern={concern} />
            ))}
          </ul>
        )}
        {acknowledged.length > 0 && (
          <Button
            variant="subtle"
            size="compact-xs"
            aria-expanded={showsAll}
            onClick={() => setShowsAll((before) => !before)}
          >
            {showsAll ? 'Hide' : 'Show'} {acknowledged.length} acknowledged
          </Button>
        )}
      </div>
    </Panel>
  )
})

type FoldedProps = { open: readonly Concern[]; acknowledged: number; onUnfold: () => void }

function Folded({ open: [first, ...others], acknowledged, onUnfold }: FoldedProps) {
  if (first) {
    return (
      <FoldedPanel title={TITLE} unfold={{ name: 'Show what needs attention', onClick: onUnfold }}>
        <StatusMark tone={URGENCIES[first.urgency].tone}>
          {first.title}
          {others.length > 0 && ` and ${others.length} more`}
        </StatusMark>
      </FoldedPanel>
    )
  }
  const known = acknowledged > 0 ? { name: `Show ${acknowledged} acknowledged`, onClick: onUnfold } : undefined
  return (
    <FoldedPanel title={TITLE} unfold={known}>
      <StatusMark tone="ok">{known ? 'Nothing else needs attention' : 'Nothing needs attention'}</StatusMark>
    </FoldedPanel>
  )
}

function Row({ concern }: { concern: Concern }) {
  const { word, tone } = URGENCIES[concern.urgency]
  const known = concern.acknowledged
  return (
    <li className={classes.concern} data-concern={concern.kind}>
      {known ? <StatusMark tone="none">Known</StatusMark> : <StatusMark tone={tone}>{word}</StatusMark>}
      <div className={classes.reason}>
        <PlaceLink place={placeOf(concern)}>{concern.title}</PlaceLink>
        <span>{concern.reason}</span>
        {known ? (
          <em>
            {known.by}, <RelativeTime at={known.at} />: {known.note}
          </em>
        ) : (
          <strong>{concern.next_step}</strong>
        )}
      </div>
      <div className={classes.since}>
        {concern.since && <RelativeTime at={concern.since} />}
        <AcknowledgeButton concern={concern} />
      </div>
    </li>
  )
}

/** The admin pages are for site staff alone. */
function PlaceLink({ place, children }: { place: Place; children: ReactNode }) {
  const { isStaff } = useRights()
  if (place.page === 'release') return <ReleaseLink release={place.id}>{children}</ReleaseLink>
  if (place.page === 'devices') return <Link to="/devices" search={{ app: place.app }} children={children} />
  if (place.page === 'serving') return <Link to="/serving" children={children} />
  if (place.page === 'pipeline') {
    return <Link to="/serving/$scenario/$task" params={taskPath(place.name)} children={children} />
  }
  if (place.page === 'features') return <Link to="/features" children={children} />
  return isStaff ? <a href={place.path}>{children}</a> : <span>{children}</span>
}

function Nothing() {
  return (
    <div className={classes.nothing}>
      <StatusMark tone="ok">Nothing needs attention</StatusMark>
      <p>
        This panel lists releases that were rolled back, are on hold or wait for approval, apps with silent devices,
        with unusually many new devices or with refused enrolments, late jobs, features that nothing reads, serving
        hosts that are lost, pipelines that are isolated or not installed, and failing webhooks.
      </p>
    </div>
  )
}
