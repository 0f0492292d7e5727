import { Tooltip } from '@mantine/core'
import type { ReactNode } from 'react'
import { share } from '@/lib/format'
import classes from './gauges.module.css'

const WIDTH = 120

type Props = {
  /** Where the mark stands. */
  at: number
  /** Up to where the bar is filled. */
  limit: number
  whole: number
  /** What it says, in words. */
  label: string
  children?: ReactNode
}

/** A number on a scale of which the part below a threshold is filled. */
export function ThresholdBar({ at, limit, whole, label, children }: Props) {
  return (
    <Tooltip label={label}>
      <span className={classes.threshold} tabIndex={0} role="img" aria-label={label}>
        <svg width={WIDTH} height={12} aria-hidden="true">
          <rect className={classes.track} x="0" y="4" width={WIDTH} height="4" rx="2" />
          <rect className={classes.below} x="0" y="4" width={share(limit, whole) * WIDTH} height="4" rx="2" />
          <rect className={classes.here} x={share(at, whole) * (WIDTH - 2)} y="0" width="2" height="12" />
        </svg>
        {children}
      </span>
    </Tooltip>
  )
}
