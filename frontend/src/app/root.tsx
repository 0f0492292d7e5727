/** The route above all pages; features hang theirs below it. */
import type { QueryClient } from '@tanstack/react-query'
import { createRootRouteWithContext } from '@tanstack/react-router'
import { prefetch } from '@/api/prefetch'
import { rightsQuery } from '@/hooks/useRights'
import { NotFound } from './shell/NotFound'
import { PageError } from './shell/PageError'
import { Shell } from './shell/Shell'

export type RouteContext = {
  /** The data of the person who is logged in. */
  queryClient: QueryClient
  /** Whether the server runs in debug, and so has pages for work on Walle itself. */
  isDebug: boolean
}

export const rootRoute = createRootRouteWithContext<RouteContext>()({
  loader: ({ context }) => prefetch(context.queryClient, rightsQuery),
  component: Shell,
  notFoundComponent: NotFound,
  errorComponent: PageError,
})
