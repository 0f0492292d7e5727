import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { reading } from '@/api/reading'
import { ErrorNote } from '@/components/ErrorNote'
import { Fact, Facts } from '@/components/Facts'
import { TaskLink } from '@/components/links'
import { Panel } from '@/components/Page'
import { LinesSkeleton } from '@/components/Skeletons'
import { StatusMark } from '@/components/StatusMark'
import { bytes } from '@/lib/format'
import { indented } from '@/lib/json'
import { milliseconds } from '@/lib/outputs'
import { absoluteTime } from '@/lib/time'
import classes from './features.module.css'

/** One feature with all of its values; the page scrolls to it. */
export function FeaturePanel({ number, onClose }: { number: number; onClose: () => void }) {
  const { data, error, refetch } = useQuery({
    ...reading('/api/v1/features/{feature}', { path: { feature: number } }),
    staleTime: Number.POSITIVE_INFINITY,
  })
  const place = useRef<HTMLDivElement>(null)
  const isThere = data !== undefined
  useEffect(() => {
    place.current?.scrollIntoView({ block: 'nearest' })
  }, [number, isThere])
  const close = (
    <Button variant="default" size="compact-sm" onClick={onClose}>
      Close
    </Button>
  )
  return (
    <div ref={place} className={classes.opened}>
      <Panel title={`Feature ${number}`} beside={close}>
        {error && <ErrorNote error={error} retry={() => void refetch()} />}
        {!data && !error && <LinesSkeleton lines={6} />}
        {data && (
          <>
            <Facts>
              <Fact name="Device">
                <Link className="mono" to="/devices/$app/$device" params={data}>
                  {data.device}
                </Link>
              </Fact>
              <Fact name="Task">
                <TaskLink task={data.task}>{`${data.task} ${data.version}`}</TaskLink>
                {data.rolled_back && <StatusMark tone="bad">rolled back</StatusMark>}
              </Fact>
              <Fact name="Event">{absoluteTime(Date.parse(data.tracked_at))}</Fact>
              <Fact name="Run">{absoluteTime(Date.parse(data.at))}</Fact>
              <Fact name="Received">{absoluteTime(Date.parse(data.received_at))}</Fact>
              <Fact name="Delay">{milliseconds(data.delay_ms)}</Fact>
              <Fact name="Length">{`${bytes(data.raw_bytes)}, ${bytes(data.wire_bytes)} sent`}</Fact>
            </Facts>
            <pre className={classes.whole} tabIndex={0} aria-label="All values">
              {indented(data.values)}
            </pre>
          </>
        )}
      </Panel>
    </div>
  )
}
