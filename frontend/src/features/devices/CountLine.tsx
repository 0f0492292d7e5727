import { Button, Skeleton, Tooltip } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { reading } from '@/api/reading'
import { ErrorNote } from '@/components/ErrorNote'
import { countedDevices, MARGIN, type Counted } from '@/lib/counted'
import type { DevicesAsked } from './search'
import classes from './devices.module.css'

type Props = { asked: DevicesAsked; counted: Counted | undefined; failed: boolean }

/** How many there are. Of many, about; exactly if somebody asks, which reads every device. */
export function CountLine({ asked, counted, failed }: Props) {
  const [wanted, setWanted] = useState(false)
  const exactly = useQuery({
    ...reading('/api/v1/devices/count', { query: { ...asked, exact: true } }),
    enabled: wanted,
    staleTime: Number.POSITIVE_INFINITY,
  })
  const shown = exactly.data ?? counted
  if (!shown) return failed ? <span>Not counted</span> : <Skeleton height={12} width={120} />
  return (
    <>
      <Tooltip label={MARGIN} disabled={shown.exact}>
        <strong data-count={shown.count}>{countedDevices(shown)}</strong>
      </Tooltip>
      {!shown.exact && (
        <Button variant="subtle" size="compact-sm" loading={exactly.isLoading} onClick={() => setWanted(true)}>
          Count exactly
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
