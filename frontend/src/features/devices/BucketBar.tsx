import { Tooltip } from '@mantine/core'
import { count, millionths } from '@/lib/format'
import classes from './device.module.css'

const BUCKETS = 1_000_000
const WIDTH = 120

/** Shows the device's bucket in a release, and the share that the release selects. */
export function BucketBar({ bucket, share }: { bucket: number; share: number }) {
  const label = `The device has bucket ${count(bucket)}; buckets below ${count(share)} (${millionths(share)}) are selected`
  return (
    <Tooltip label={label}>
      <span className={classes.draw} tabIndex={0} role="img" aria-label={label}>
        <svg width={WIDTH} height={12} aria-hidden="true">
          <rect className={classes.track} x="0" y="4" width={WIDTH} height="4" rx="2" />
          <rect className={classes.share} x="0" y="4" width={(share / BUCKETS) * WIDTH} height="4" rx="2" />
          <rect className={classes.bucket} x={(bucket / BUCKETS) * (WIDTH - 2)} y="0" width="2" height="12" />
        </svg>
        {millionths(share)}
      </span>
    </Tooltip>
  )
}
