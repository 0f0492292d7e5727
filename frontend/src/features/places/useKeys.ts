/** The keys of an app. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { answer, client } from '@/api/client'
import { keyOf, type RowOf } from '@/api/reading'
import type { Schemas } from '@/api/schemas'
import { doneToast, refusedToast } from '@/components/toasts'
import { usePages } from '@/hooks/usePages'

const KEYS = '/api/v1/apps/{app}/keys'

export type AppKey = RowOf<typeof KEYS>
export type AppKeys = ReturnType<typeof useKeys>

export function useKeys(app: string) {
  return usePages(KEYS, { path: { app }, query: { limit: 200 } })
}

export function useNewKey(app: string) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (body: Schemas['NewAppKeyRequest']) => answer(client.POST(KEYS, { params: { path: { app } }, body })),
    onSuccess: () => queries.invalidateQueries({ queryKey: keyOf(KEYS) }),
    // The text of the key must not stay in the page's memory.
    gcTime: 0,
  })
}

export function useKeyRevocation(app: string) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: ({ id }: AppKey) =>
      answer(client.POST('/api/v1/apps/{app}/keys/{key}/revoke', { params: { path: { app, key: id } } })),
    onSuccess: (_, { label }) => {
      doneToast(`Revoked the key ${label}`)
      void queries.invalidateQueries({ queryKey: keyOf(KEYS) })
    },
    onError: (error, { label }) => refusedToast(`The key ${label} was not revoked`, error),
  })
}
