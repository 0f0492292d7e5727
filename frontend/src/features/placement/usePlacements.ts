import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { answer, client } from '@/api/client'
import { every, keyOf, reading } from '@/api/reading'
import type { Schemas } from '@/api/schemas'
import { refusedToast } from '@/components/toasts'
import { usePages } from '@/hooks/usePages'

const ROWS = 100
const AGAIN_MS = 5_000
const UNDER_WAY_MS = 1_000
const DETAIL = '/api/v1/placements/{placement}'
const LIST = '/api/v1/placements'

export type WorkflowPath = { scenario: string; workflow: string }
export type NewPlacement = Schemas['NewPlacementRequest']

/** Returns the workflows that somebody may see, of one scenario or of all. */
export function useWorkflows(scenario: string | undefined) {
  return usePages('/api/v1/workflows', { query: { limit: ROWS, ...(scenario && { scenario }) } })
}

/** Returns one workflow with its document. */
export function useWorkflow(path: WorkflowPath) {
  return useQuery(reading('/api/v1/workflows/{scenario}/{workflow}', { path }))
}

/** Returns the last placements of a workflow, the newest first. */
export function usePlacements(path: WorkflowPath) {
  return useQuery({ ...reading(LIST, { query: { ...path, limit: 20 } }), refetchInterval: every(AGAIN_MS) })
}

/** Returns one placement; asks again each second as long as it is under way. */
export function usePlacement(placement: number | undefined) {
  return useQuery({
    ...reading(DETAIL, { path: { placement: placement ?? 0 } }),
    enabled: placement !== undefined,
    refetchInterval: ({ state }) => (state.data && isUnderWay(state.data.state) ? UNDER_WAY_MS : false),
  })
}

/** Whether a placement has not ended. */
export function isUnderWay(state: Schemas['PlacementState']): boolean {
  return state === 'pending' || state === 'running'
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
