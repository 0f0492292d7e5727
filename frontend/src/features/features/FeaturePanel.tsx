import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { reading } from '@/api/reading'
import { ErrorNote } from '@/components/ErrorNote'
import { Facts } from '@/components/Facts'
import { TaskLink } from '@/components/links'
import { Panel } from '@/components/Page'
import { LinesSkeleton } from '@/components/Skeletons'
import { bytes } from '@/lib/format'
import { milliseconds } from '@/lib/outputs'
import { absoluteTime } from '@/lib/time'
import classes from './features.module.css'

/** One feature with all of its values. */
export function FeaturePanel({ number, onClose }: { number: number; onClose: () => void }) {
  const { data, error, refetch } = useQuery({
    ...reading('/api/v1/features/{feature}', { path: { feature: number } }),
    staleTime: Number.POSITIVE_INFINITY,
  })
  const close = (
    <Button variant="default" size="compact-sm" onClick={onClose}>
      Close
    </Button>
  )
  return (
    <Panel title={`Feature ${number}`} beside={close}>
      {error && <ErrorNote error={error} retry={() => void refetch()} />}
      {!data && !error && <LinesSkeleton lines={6} />}
      {data && (
        <>
          <Facts
            facts={[
              [
                'Device',
                <Link key="device" className="mono" to="/devices/$app/$device" params={data}>
                  {data.device}
                </Link>,
              ],
              ['Task', <TaskLink key="task" task={data.task}>{`${data.task} ${data.version}`}</TaskLink>],
              ['Event', absoluteTime(Date.parse(data.tracked_at))],
              ['Run', absoluteTime(Date.parse(data.at))],
              ['Received', absoluteTime(Date.parse(data.received_at))],
              ['Delay', milliseconds(data.delay_ms)],
              ['Length', `${bytes(data.raw_bytes)}, ${bytes(data.wire_bytes)} sent`],
            ]}
          />
          <pre className={classes.whole} tabIndex={0} aria-label="All values">
            {JSON.stringify(data.values, null, 2)}
          </pre>
        </>
      )}
    </Panel>
  )
}
