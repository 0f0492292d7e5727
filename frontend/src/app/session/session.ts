import { queryOptions } from '@tanstack/react-query'
import { answer, client } from '@/api/client'
import { whileFailing } from '@/api/queryClient'
import { reading, type Answer } from '@/api/reading'

const ADDRESS = '/api/v1/session'
const LOOK_AGAIN_MS = 300_000

export type Session = Answer<typeof ADDRESS>
export type User = NonNullable<Session['user']>
export type Preferences = User['preferences']

/**
 * The query for who is logged in, which also sets the CSRF cookie. It is repeated when the person returns to the page.
 */
export const sessionQuery = queryOptions({
  ...reading(ADDRESS),
  staleTime: Number.POSITIVE_INFINITY,
  refetchOnWindowFocus: 'always',
  refetchInterval: (query) => whileFailing(query) || LOOK_AGAIN_MS,
})

export async function logIn(username: string, password: string): Promise<Session> {
  return answer(client.POST(ADDRESS, { body: { username, password } }))
}

/** Ends the session, and deletes all data read in it. */
export async function logOut(): Promise<void> {
  await client.DELETE(ADDRESS)
  location.reload()
}
