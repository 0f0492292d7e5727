import { queryOptions, useQueryClient } from '@tanstack/react-query'
import { answer, client } from '@/api/client'
import { reading } from '@/api/reading'

export type User = { username: string; staff: boolean }
export type Session = { user: User | null }

const ADDRESS = '/api/v1/session'

/** Who is logged in; asking also brings the CSRF cookie. */
export const sessionQuery = queryOptions({ ...reading(ADDRESS), staleTime: Number.POSITIVE_INFINITY })

export async function logIn(username: string, password: string): Promise<Session> {
  return answer(client.POST(ADDRESS, { body: { username, password } }))
}

/** Ends the session here; other tabs notice at their next request. */
export function useLogOut(): () => Promise<void> {
  const queryClient = useQueryClient()
  return async () => {
    await client.DELETE(ADDRESS)
    queryClient.clear()
    location.reload()
  }
}
