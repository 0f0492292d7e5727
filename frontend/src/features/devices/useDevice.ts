import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import { answer, client } from '@/api/client'
import { every, keyOf, pages, reading, type Answer } from '@/api/reading'
import { refusedToast, undoToast } from '@/components/toasts'
import { useReadOnMoves } from '@/hooks/useReadOnMoves'

const DEVICE = '/api/v1/devices/{app}/{device}'
const TIMELINE = '/api/v1/devices/{app}/{device}/timeline'
const EXPLAIN = '/api/v1/devices/{app}/{device}/explain'
const LOOK_AGAIN_MS = 5_000
const HAPPENINGS = 50

export type DevicePath = { app: string; device: string }
export type DeviceDetail = Answer<typeof DEVICE>

export function useDevice(path: DevicePath) {
  return useQuery({
    ...reading(DEVICE, { path }),
    refetchInterval: every(LOOK_AGAIN_MS),
  })
}

/** Read again by itself while nobody has gone back further than its newest page. */
export function useTimeline(path: DevicePath) {
  const query = useInfiniteQuery({
    ...pages(TIMELINE, { path, query: { limit: HAPPENINGS } }),
    refetchOnWindowFocus: false,
    refetchInterval: ({ state }) => (state.data?.pages.length ?? 0) <= 1 && every(LOOK_AGAIN_MS)({ state }),
  })
  const happenings = useMemo(() => query.data?.pages.flatMap(({ results }) => results) ?? [], [query.data])
  return { ...query, happenings }
}

/** Why it is or is not offered what; anew when somebody moves a release of the app. */
export function useExplanation(path: DevicePath) {
  useReadOnMoves([keyOf(EXPLAIN, { path })], ({ app }) => app === path.app)
  return useQuery({
    ...reading(EXPLAIN, { path }),
    refetchInterval: every(LOOK_AGAIN_MS),
  })
}

/** Locks the device out, or lets it in again: at once, and with a way back. */
export function useRevocation(path: DevicePath) {
  const cache = useQueryClient()
  const key = keyOf(DEVICE, { path })
  const mutation = useMutation({
    mutationFn: (revoke: boolean) =>
      revoke
        ? answer(client.POST('/api/v1/devices/{app}/{device}/revoke', { params: { path } }))
        : answer(client.POST('/api/v1/devices/{app}/{device}/reinstate', { params: { path } })),
    onMutate: async (revoke) => {
      await cache.cancelQueries({ queryKey: key })
      const before = cache.getQueryData<DeviceDetail>(key)
      if (before) cache.setQueryData(key, { ...before, revoked_at: revoke ? new Date().toISOString() : null })
      return before
    },
    onError: (error, revoke, before) => {
      cache.setQueryData(key, before)
      refusedToast(`The device was not ${revoke ? 'revoked' : 'reinstated'}`, error)
    },
    onSuccess: (device, revoke) => {
      cache.setQueryData(key, device)
      undoToast(`Device ${revoke ? 'revoked' : 'reinstated'}`, () => mutation.mutate(!revoke))
    },
    onSettled: () => cache.invalidateQueries({ queryKey: [TIMELINE] }),
  })
  return mutation
}
