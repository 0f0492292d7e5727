import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { answer, client } from '@/api/client'
import { keyOf, reading } from '@/api/reading'
import type { Schemas } from '@/api/schemas'
import { doneToast, refusedToast } from '@/components/toasts'

const MAIL = '/api/v1/account/mail'
const SOON_MS = 2_000
const UNDER_WAY: readonly string[] = ['pending', 'sending']

export type MailSettings = Schemas['MailSettings']
type MailChange = Schemas['PatchedMailChangeRequest']

/** What the person has by e-mail; read again while a message is on its way. */
export function useMail() {
  return useQuery({
    ...reading(MAIL),
    refetchInterval: ({ state }) => (UNDER_WAY.includes(state.data?.last?.state ?? '') ? SOON_MS : false),
  })
}

/** Changes what the person has by e-mail: shown at once, and taken back if it is refused. */
export function useMailChange() {
  const queries = useQueryClient()
  const key = keyOf(MAIL, {})
  return useMutation({
    mutationFn: (body: MailChange) => answer(client.PATCH(MAIL, { body })),
    onMutate: async (body) => {
      await queries.cancelQueries({ queryKey: key })
      const before = queries.getQueryData<MailSettings>(key)
      if (before) queries.setQueryData<MailSettings>(key, { ...before, ...body })
      return before
    },
    onError: (error, _, before) => {
      queries.setQueryData(key, before)
      refusedToast('Your choice was not kept', error)
    },
    onSettled: () => queries.invalidateQueries({ queryKey: keyOf(MAIL) }),
  })
}

/** Gives another address, which has to be confirmed; an empty one takes the present one away. */
export function useAddressChange(onKept: () => void) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (address: string) => answer(client.PUT('/api/v1/account/mail/address', { body: { address } })),
    onSuccess: (settings) => {
      queries.setQueryData(keyOf(MAIL, {}), settings)
      onKept()
    },
  })
}

/** Confirms the address by what its link carries. */
export function useConfirmation(onEnd: () => void) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (token: string) => answer(client.POST('/api/v1/account/mail/confirm', { body: { token } })),
    onSuccess: (settings) => {
      queries.setQueryData(keyOf(MAIL, {}), settings)
      doneToast(`Events reach you at ${settings.address}`)
    },
    onError: (error) => refusedToast('Your address was not confirmed', error),
    onSettled: onEnd,
  })
}

export function useTestMessage() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: () => answer(client.POST('/api/v1/account/mail/test')),
    onError: (error) => refusedToast('No message was sent', error),
    onSettled: () => queries.invalidateQueries({ queryKey: keyOf(MAIL) }),
  })
}
