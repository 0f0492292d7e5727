import { useMutation, useQueryClient } from '@tanstack/react-query'
import { answer, client } from '@/api/client'
import { keyOf } from '@/api/reading'
import { refusedToast } from '@/components/toasts'
import type { Concern } from './attention'

/** `note` is what is done about it; null takes an acknowledgement back. */
type Acknowledging = { concern: Concern; note: string | null }

/** Acknowledges what needs attention, or takes that back, for everybody who sees it. */
export function useAcknowledging() {
  const cache = useQueryClient()
  return useMutation({
    mutationFn: ({ concern: { kind, target, title }, note }: Acknowledging) => {
      const named = { kind, target, title }
      return note === null
        ? answer(client.POST('/api/v1/fleet/attention/reopen', { body: named }))
        : answer(client.POST('/api/v1/fleet/attention/acknowledge', { body: { ...named, note } }))
    },
    onError: (error) => refusedToast('Nothing was changed', error),
    onSettled: () => cache.invalidateQueries({ queryKey: keyOf('/api/v1/fleet') }),
  })
}
