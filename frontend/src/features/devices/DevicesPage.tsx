import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { ApiProblem } from '@/api/problem'
import { every } from '@/api/reading'
import { NoRole } from '@/components/NoRole'
import { Page } from '@/components/Page'
import { PageHeader } from '@/components/PageHeader'
import { useFilters } from '@/hooks/useFilters'
import { useRights } from '@/hooks/useRights'
import { FilterBar } from './FilterBar'
import { FoundDevices } from './FoundDevices'
import { deviceCount } from './queries'
import { isNarrowed, queryOf, readSearch, type DevicesSearch } from './search'

const COUNT_AGAIN_MS = 10_000

export function DevicesPage() {
  const [filters, setFilters] = useFilters<DevicesSearch>()
  const rights = useRights()
  const seesApps = rights.mayAnywhere('view', 'app')
  const search = queryOf(filters)
  const counting = useQuery({
    ...deviceCount(search),
    enabled: seesApps,
    refetchInterval: every(COUNT_AGAIN_MS),
  })
  const fault = (field: string) => (counting.error instanceof ApiProblem ? counting.error.about(field) : undefined)
  // Every field is named, because undefined ones are removed.
  const clear = (
    <Button
      variant="default"
      onClick={() => setFilters({ ...readSearch({}), app: filters.app, columns: filters.columns })}
    >
      Clear filters
    </Button>
  )
  return (
    <Page header={<PageHeader actions={isNarrowed(filters) && clear} />} fills>
      {seesApps ? (
        <>
          <FilterBar filters={filters} onChange={setFilters} fault={fault} />
          <FoundDevices
            key={JSON.stringify(search)}
            filters={filters}
            counted={counting.data}
            countFailed={counting.isError}
          />
        </>
      ) : (
        <NoRole where="any app" username={rights.username}>
          Devices belong to apps.
        </NoRole>
      )}
    </Page>
  )
}
