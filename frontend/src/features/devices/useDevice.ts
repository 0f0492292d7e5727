import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import { answer, client } from '@/api/client'
import { every, keyOf, pages, reading, type Answer } from '@/api/reading'
import { refusedToast, undoToast } from '@/components/toasts'
import { useRefetchOnMoves } from '@/hooks/useRefetchOnMoves'
import { deviceDetail, type DevicePath } from './queries'

const DEVICE = '/api/v1/devices/{app}/{device}'
const TIMELINE = '/api/v1/devices/{app}/{device}/timeline'
const STREAMS = '/api/v1/devices/{app}/{device}/streams'
const EXPLAIN = '/api/v1/devices/{app}/{device}/explain'
const LOOK_AGAIN_MS = 5_000
const PAGE_SIZE = 50

export type DeviceDetail = Answer<typeof DEVICE>
export type StreamCost = Answer<typeof STREAMS>['streams'][number]

export function useDevice(path: DevicePath) {
  return useQuery({
    ...deviceDetail(path),
    refetchInterval: every(LOOK_AGAIN_MS),
  })
}

/** Returns what the stream tasks of a device cost, refreshed while somebody looks. */
export function useStreams(path: DevicePath) {
  return useQuery({ ...reading(STREAMS, { path }), refetchInterval: every(LOOK_AGAIN_MS) })
}

/** Refreshed automatically while the person has loaded only the newest page. */
export function useTimeline(path: DevicePath) {
  const query = useInfiniteQuery({
    ...pages(TIMELINE, { path, query: { limit: PAGE_SIZE } }),
    refetchOnWindowFocus: false,
    refetchInterval: ({ state }) => (state.data?.pages.length ?? 0) <= 1 && every(LOOK_AGAIN_MS)({ state }),
  })
  const entries = useMemo(() => query.data?.pages.flatMap(({ results }) => results) ?? [], [query.data])
  return { ...query, entries }
}

/**
 * Returns why it is or is not offered each release, or was at an earlier moment; the present is refreshed when somebody
 * moves a release of the app.
 */
export function useExplanation(path: DevicePath, at: string | undefined) {
  useRefetchOnMoves([keyOf(EXPLAIN, { path })], ({ app }) => app === path.app)
  return useQuery({
    ...reading(EXPLAIN, at === undefined ? { path } : { path, query: { at } }),
    refetchInterval: at === undefined && every(LOOK_AGAIN_MS),
  })
}

/** `revoke` is the reason of a revocation; null reinstates. */
type Revocation = { path: DevicePath; revoke: string | null }

/** Revokes or reinstates a device, with an undo that also works from the page of another device. */
export function useRevocation() {
  const cache = useQueryClient()
  const keyOfDevice = (path: DevicePath) => keyOf(DEVICE, { path })
  const mutation = useMutation({
    mutationFn: ({ path, revoke }: Revocation) =>
      revoke !== null
        ? answer(client.POST('/api/v1/devices/{app}/{device}/revoke', { params: { path }, body: { reason: revoke } }))
        : answer(client.POST('/api/v1/devices/{app}/{device}/reinstate', { params: { path } })),
    onMutate: async ({ path, revoke }) => {
      const key = keyOfDevice(path)
      await cache.cancelQueries({ queryKey: key })
      const before = cache.getQueryData<DeviceDetail>(key)
      if (before) cache.setQueryData(key, { ...before, revoked_at: revoke === null ? null : new Date().toISOString() })
      return before
    },
    onError: (error, { path, revoke }, before) => {
      cache.setQueryData(keyOfDevice(path), before)
      refusedToast(`${path.device} was not ${revoke === null ? 'reinstated' : 'revoked'}`, error)
    },
    onSuccess: (device, { path, revoke }) => {
      cache.setQueryData(keyOfDevice(path), device)
      const undo = () => mutation.mutate({ path, revoke: revoke === null ? 'reinstatement undone' : null })
      undoToast(
        `${path.device} was ${revoke === null ? 'reinstated' : 'revoked'}`,
        undo,
        `device ${path.app}/${path.device}`,
      )
    },
    onSettled: (_device, _error, { path }) =>
      Promise.all([DEVICE, TIMELINE].map((address) => cache.invalidateQueries({ queryKey: [address, { path }] }))),
  })
  return mutation
}
