import { QueryClient } from '@tanstack/react-query'
import { ApiProblem, isRefusal } from './problem'

const MOST_RETRIES = 3
const AGAIN_MS = 10_000

/** Whether trying again may help: the server was away or at fault, not: it refused. */
function mayHelp(failures: number, error: unknown): boolean {
  if (failures >= MOST_RETRIES) return false
  return !(error instanceof ApiProblem) || error.status === 0 || error.status >= 500
}

/** What could not be read is read again by itself, until the server is back: no page is left with an error of then. */
export function whileFailing({ state }: { state: { error: unknown } }): number | false {
  return state.error === null || isRefusal(state.error) ? false : AGAIN_MS
}

export function makeQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      // Whatever the browser thinks of its network: Walle may run on this very machine, and what is not sent now must
      // neither look as if it were done nor be done later, unasked.
      queries: {
        networkMode: 'always',
        retry: mayHelp,
        staleTime: 5_000,
        refetchOnWindowFocus: true,
        refetchInterval: whileFailing,
      },
      mutations: { networkMode: 'always', retry: false },
    },
  })
}
