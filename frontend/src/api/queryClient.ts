import { QueryClient } from '@tanstack/react-query'
import { ApiProblem, isRefusal } from './problem'

const MOST_RETRIES = 3
const AGAIN_MS = 10_000

/** Returns whether another attempt may help: the server was away or at fault, and did not refuse. */
function mayHelp(failures: number, error: unknown): boolean {
  if (failures >= MOST_RETRIES) return false
  return !(error instanceof ApiProblem) || error.status === 0 || error.status >= 500
}

/** Repeats a failed reading until the server is back, so that no page keeps an old error. */
export function whileFailing({ state }: { state: { error: unknown } }): number | false {
  return state.error === null || isRefusal(state.error) ? false : AGAIN_MS
}

export function makeQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      // Ignores what the browser thinks of its network: Walle may run on this machine, and a write must neither be
      // queued silently nor sent later.
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
