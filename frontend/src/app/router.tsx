/** Every page's address. A feature's own routes are in its folder; a new feature is one line here. */
import { createRouter } from '@tanstack/react-router'
import { PageSkeleton } from '@/components/Skeletons'
import { deviceRoutes } from '@/features/devices/routes'
import { fleetRoutes } from '@/features/fleet/routes'
import { releaseRoutes } from '@/features/releases/routes'
import { taskRoutes } from '@/features/tasks/routes'
import { parseSearch, stringifySearch } from '@/lib/search'
import { rootRoute } from './root'
import { PageError } from './shell/PageError'

export const router = createRouter({
  routeTree: rootRoute.addChildren([...fleetRoutes, ...taskRoutes, ...releaseRoutes, ...deviceRoutes]),
  parseSearch,
  stringifySearch,
  defaultPreload: 'intent',
  defaultPendingComponent: PageSkeleton,
  defaultErrorComponent: PageError,
  scrollRestoration: true,
})

declare module '@tanstack/react-router' {
  // An interface, because that is what declarations merge.
  // eslint-disable-next-line @typescript-eslint/consistent-type-definitions
  interface Register {
    router: typeof router
  }
}
