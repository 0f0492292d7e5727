import { Button, Skeleton, Tooltip } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { reading } from '@/api/reading'
import { ErrorNote } from '@/components/ErrorNote'
import { RelativeTime } from '@/components/RelativeTime'
import { countedDevices, MARGIN, type Counted } from '@/lib/counted'
import { serverTime } from '@/lib/serverClock'
import type { DevicesQuery } from './search'
import classes from './devices.module.css'

type Props = { search: DevicesQuery; counted: Counted | undefined; failed: boolean }

/** The number of devices: an estimate if there are many; exact on request, which reads every device. */
export function CountLine({ search, counted, failed }: Props) {
  const exactly = useQuery({
    ...reading('/api/v1/devices/count', { query: { ...search, exact: true } }),
    enabled: false,
  })
  const exact = counted?.exact ? undefined : exactly.data
  const shown = exact ?? counted
  if (!shown) return failed ? <span>Not counted</span> : <Skeleton height={12} width={120} />
  return (
    <>
      <Tooltip label={MARGIN} disabled={shown.exact}>
        <strong data-count={shown.count}>{countedDevices(shown)}</strong>
      </Tooltip>
      {exact && (
        // It updates automatically, which is not to be read aloud.
        <span aria-live="off" className="muted">
          counted <RelativeTime at={new Date(serverTime(exactly.dataUpdatedAt)).toISOString()} />
        </span>
      )}
      {!counted?.exact && (
        <Button variant="subtle" size="compact-sm" loading={exactly.isFetching} onClick={() => void exactly.refetch()}>
          {exact ? 'Count again' : 'Count exactly'}
        </Button>
      )}
      {exactly.error && (
        <div className={classes.wide}>
          <ErrorNote error={exactly.error} />
        </div>
      )}
    </>
  )
}
