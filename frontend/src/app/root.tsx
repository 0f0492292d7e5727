/** The route above all pages; features hang theirs below it. */
import { createRootRouteWithContext } from '@tanstack/react-router'
import { NotFound } from './shell/NotFound'
import { PageError } from './shell/PageError'
import { Shell } from './shell/Shell'

/** `isDebug`: whether the server runs in debug, and so has pages for work on Walle itself. */
export type RouteContext = { isDebug: boolean }

export const rootRoute = createRootRouteWithContext<RouteContext>()({
  component: Shell,
  notFoundComponent: NotFound,
  errorComponent: PageError,
})
