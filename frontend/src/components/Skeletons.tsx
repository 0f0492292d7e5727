import { Skeleton } from '@mantine/core'
import classes from './components.module.css'

/** The placeholder of a page while it loads. */
export function PageSkeleton() {
  return (
    <div className={classes.page} role="status" aria-label="Loading">
      <Skeleton height={28} width={200} />
      <LinesSkeleton lines={6} />
    </div>
  )
}

/** The placeholder of a table's rows, or of lines of text, while they load. */
export function LinesSkeleton({ lines = 3, height = 36 }: { lines?: number; height?: number }) {
  return (
    <div className={classes.lines} aria-hidden="true">
      {Array.from({ length: lines }, (_, line) => (
        <div key={line} className={classes.line} style={{ height }}>
          <Skeleton height={12} width={`${90 - ((line * 17) % 45)}%`} />
        </div>
      ))}
    </div>
  )
}
