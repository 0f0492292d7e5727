/** The route above all pages; features hang theirs below it. */
import { createRootRoute } from '@tanstack/react-router'
import { NotFound } from './shell/NotFound'
import { PageError } from './shell/PageError'
import { Shell } from './shell/Shell'

export const rootRoute = createRootRoute({ component: Shell, notFoundComponent: NotFound, errorComponent: PageError })
