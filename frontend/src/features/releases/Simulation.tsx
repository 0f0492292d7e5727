import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { lazy, Suspense } from 'react'
import { answer, client } from '@/api/client'
import { keyOf, reading } from '@/api/reading'
import type { ReleaseDetail } from '@/api/schemas'
import { EmptyState } from '@/components/EmptyState'
import { ErrorNote } from '@/components/ErrorNote'
import { Panel } from '@/components/Page'
import { GuardedButton } from '@/components/GuardedButton'
import { LinesSkeleton } from '@/components/Skeletons'
import { StatusMark } from '@/components/StatusMark'
import { Table } from '@/components/Table'
import { refusedToast } from '@/components/toasts'
import { useFilters } from '@/hooks/useFilters'
import { useRights } from '@/hooks/useRights'
import { missing } from '@/lib/rights'
import { readStrategy } from './figures'
import { CELL_STATES, matrixOf, nameOf, type Cell } from './matrix'
import { scenarioOf } from './moves'
import type { ReleaseSearch } from './search'
import { useRefetchOnChange } from './useRefetchOnChange'
import classes from './releases.module.css'

const CellDialog = lazy(() => import('./CellDialog'))

const ADDRESS = '/api/v1/releases/{release}/simulation'
const AGAIN_MS = 1_000

/** The result of the task in each app version and system, with logs behind each cell. */
export default function Simulation({ release }: { release: ReleaseDetail }) {
  const queries = useQueryClient()
  const rights = useRights()
  const [{ cell: opened }, setFilters] = useFilters<ReleaseSearch>()
  const path = { release: release.id }
  const query = useQuery({
    ...reading(ADDRESS, { path }),
    ...(release.state === 'simulating' ? { refetchInterval: AGAIN_MS } : {}),
  })
  useRefetchOnChange(keyOf(ADDRESS, { path }), release.state)
  const again = useMutation({
    mutationFn: () => answer(client.POST(ADDRESS, { params: { path } })),
    onSuccess: (made) => queries.setQueryData(reading(ADDRESS, { path }).queryKey, made),
    onError: (error) => refusedToast('The simulation was not repeated', error),
  })
  if (!readStrategy(release.strategy).simulation) {
    return (
      <Panel title="Simulation">
        <EmptyState title="No simulation">
          The strategy of this release has no simulation. Clone the release with one to test the samples before any
          device runs them.
        </EmptyState>
      </Panel>
    )
  }
  const { data, error } = query
  const beside =
    data?.kind === 'error' ? (
      <GuardedButton
        missing={missing(rights, 'simulate', scenarioOf(release.task))}
        variant="default"
        loading={again.isPending}
        onClick={() => again.mutate()}
      >
        Simulate again
      </GuardedButton>
    ) : undefined
  const chosen = data?.cells.find(({ id }) => String(id) === opened)
  return (
    <Panel title="Simulation" beside={beside}>
      {!data && (error ? <ErrorNote error={error} retry={() => void query.refetch()} /> : <LinesSkeleton />)}
      {data?.cells.length === 0 && (
        <EmptyState title="Not simulated yet">
          The simulation starts with the release, before any device receives the version.
        </EmptyState>
      )}
      {data && data.cells.length > 0 && (
        <>
          <div>{data.sentence}</div>
          {data.kind === 'pending' && data.budget.reason && <div className="muted">{data.budget.reason}.</div>}
          <MatrixTable cells={data.cells} onOpen={(cell) => setFilters({ cell: String(cell.id) })} />
        </>
      )}
      {chosen && (
        <Suspense>
          <CellDialog release={release.id} cell={chosen} onClose={() => setFilters({ cell: undefined })} />
        </Suspense>
      )}
    </Panel>
  )
}

function MatrixTable({ cells, onOpen }: { cells: readonly Cell[]; onOpen: (cell: Cell) => void }) {
  const { systems, rows } = matrixOf(cells)
  return (
    <Table label="Simulation" columns={['App version', ...systems]}>
      {rows.map(({ appVersion, cells: across }) => (
        <tr key={appVersion}>
          <th scope="row">{appVersion || 'unknown'}</th>
          {across.map((cell, index) => (
            <td key={systems[index]}>{cell && <CellButton cell={cell} onOpen={onOpen} />}</td>
          ))}
        </tr>
      ))}
    </Table>
  )
}

function CellButton({ cell, onOpen }: { cell: Cell; onOpen: (cell: Cell) => void }) {
  const { word, tone } = CELL_STATES[cell.state]
  return (
    <button
      type="button"
      className={classes.cell}
      aria-label={`${word}: ${nameOf(cell)}`}
      data-cell={cell.id}
      data-state={cell.state}
      onClick={() => onOpen(cell)}
    >
      <StatusMark tone={tone}>{word}</StatusMark>
    </button>
  )
}
