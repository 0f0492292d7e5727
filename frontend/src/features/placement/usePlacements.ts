import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useMemo } from 'react'
import { answer, client } from '@/api/client'
import { keyOf, reading } from '@/api/reading'
import type { Schemas } from '@/api/schemas'
import { refusedToast } from '@/components/toasts'
import { usePages } from '@/hooks/usePages'
import { useGauge } from '@/live/live'
import type { Placement } from './answer'
import { isUnderWay, markOf, withLast, type PlacementRow } from './progress'

const ROWS = 100
const HISTORY = 20
const DETAIL = '/api/v1/placements/{placement}'
const LIST = '/api/v1/placements'

export type WorkflowPath = { scenario: string; workflow: string }
export type NewPlacement = Schemas['NewPlacementRequest']

/** Returns the workflows that somebody may see, of one scenario or of all, each with its last placement as it is now. */
export function useWorkflows(scenario: string | undefined) {
  const told = useGauge('placements').value?.results
  const found = usePages('/api/v1/workflows', { query: { limit: ROWS, ...(scenario && { scenario }) } })
  const rows = useMemo(() => withLast(found.rows, told ?? []), [found.rows, told])
  return { ...found, rows }
}

/** Returns one workflow with its document. */
export function useWorkflow(path: WorkflowPath) {
  return useQuery(reading('/api/v1/workflows/{scenario}/{workflow}', { path }))
}

/** Returns the last placements of a workflow, the newest first: by REST until the live channel tells. */
export function usePlacements(path: WorkflowPath): readonly PlacementRow[] | undefined {
  const told = useGauge(`placements/${path.scenario}/${path.workflow}`).value
  const { data } = useQuery({
    ...reading(LIST, { query: { ...path, limit: HISTORY } }),
    enabled: told === undefined,
  })
  return (told ?? data)?.results
}

/** Returns one placement, with what was found until now; `told` is the same one as the live channel has it. */
export function usePlacement(placement: number | undefined, told: PlacementRow | undefined): Placement | undefined {
  const { data, refetch } = useQuery({
    ...reading(DETAIL, { path: { placement: placement ?? 0 } }),
    enabled: placement !== undefined,
  })
  const [now, before] = [told && markOf(told), data && markOf(data)]
  const readAgain = useEffectEvent(() => void refetch())
  useEffect(() => {
    if (now !== undefined && before !== undefined && now !== before) readAgain()
  }, [now, before])
  return data && told && isUnderWay(data.state) && isUnderWay(told.state) ? { ...data, ...told } : data
}

/** Asks for a placement of a workflow. */
export function useNewPlacement(path: WorkflowPath, onMade: (id: number) => void) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (body: NewPlacement) =>
      answer(client.POST('/api/v1/workflows/{scenario}/{workflow}/placements', { params: { path }, body })),
    onSuccess: async ({ id }) => {
      onMade(id)
      await queries.invalidateQueries({ queryKey: keyOf(LIST) })
    },
    onError: (error) => refusedToast('The placement was not started', error),
  })
}

/** Cancels a placement. */
export function useCancel(placement: number) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: () => answer(client.POST('/api/v1/placements/{placement}/cancel', { params: { path: { placement } } })),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: keyOf(DETAIL) })
      await queries.invalidateQueries({ queryKey: keyOf(LIST) })
    },
    onError: (error) => refusedToast('The placement was not cancelled', error),
  })
}

export type PlanToApply = Schemas['PlanToApplyRequest']

/** Makes a version of a plan of a placement. */
export function useApply(placement: number, onMade: (made: Schemas['TaskVersionDetail']) => void) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (body: PlanToApply) =>
      answer(client.POST('/api/v1/placements/{placement}/apply', { params: { path: { placement } }, body })),
    onSuccess: async (made) => {
      await queries.invalidateQueries({ queryKey: keyOf('/api/v1/tasks/{scenario}/{task}/versions') })
      onMade(made)
    },
  })
}

/** Creates or replaces a workflow. */
export function useUpload(onDone: (path: WorkflowPath) => void) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: async ({ path, document }: { path: WorkflowPath; document: Record<string, unknown> }) => {
      await answer(client.PUT('/api/v1/workflows/{scenario}/{workflow}', { params: { path }, body: { document } }))
      return path
    },
    onSuccess: async (path) => {
      await queries.invalidateQueries({ queryKey: keyOf('/api/v1/workflows') })
      await queries.invalidateQueries({ queryKey: keyOf('/api/v1/workflows/{scenario}/{workflow}') })
      onDone(path)
    },
  })
}
