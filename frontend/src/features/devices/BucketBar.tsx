import { ThresholdBar } from '@/components/ThresholdBar'
import { count, millionths } from '@/lib/format'

const BUCKETS = 1_000_000

/** Shows the device's bucket in a release, and the share that the release selects. */
export function BucketBar({ bucket, share }: { bucket: number; share: number }) {
  const label = `The device has bucket ${count(bucket)}; buckets below ${count(share)} (${millionths(share)}) are selected`
  return (
    <ThresholdBar at={bucket} limit={share} whole={BUCKETS} label={label}>
      {millionths(share)}
    </ThresholdBar>
  )
}
