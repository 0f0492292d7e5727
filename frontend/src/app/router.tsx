/** The addresses of all pages. A feature's own routes are in its folder; a new feature is one line here. */
import { createRouter, type AnyRoute } from '@tanstack/react-router'
import { PageSkeleton } from '@/components/Skeletons'
import { accountRoutes } from '@/features/account/routes'
import { deviceRoutes } from '@/features/devices/routes'
import { featureRoutes } from '@/features/features/routes'
import { fleetRoutes } from '@/features/fleet/routes'
import { galleryRoutes } from '@/features/gallery/routes'
import { placementRoutes } from '@/features/placement/routes'
import { placeRoutes } from '@/features/places/routes'
import { releaseRoutes } from '@/features/releases/routes'
import { servingRoutes } from '@/features/serving/routes'
import { taskRoutes } from '@/features/tasks/routes'
import { parseSearch, stringifySearch } from '@/lib/search'
import { pageOf } from './pages'
import { rootRoute, type RouteContext } from './root'
import { PageError } from './shell/PageError'

export const router = createRouter({
  routeTree: rootRoute.addChildren([
    ...fleetRoutes,
    ...taskRoutes,
    ...releaseRoutes,
    ...deviceRoutes,
    ...featureRoutes,
    ...servingRoutes,
    ...placementRoutes,
    ...placeRoutes,
    ...accountRoutes,
    ...galleryRoutes,
  ]),
  // Set once the session is known: `startLoading`.
  context: undefined as never,
  parseSearch,
  stringifySearch,
  defaultPreload: 'intent',
  // Loaders only start readings, whose age the queries know.
  defaultStaleTime: Number.POSITIVE_INFINITY,
  defaultPendingComponent: PageSkeleton,
  defaultErrorComponent: PageError,
  scrollRestoration: true,
})

/** Prefetches the code of the page at the present address, while the session is still being read. */
export function fetchPage(): void {
  const [routes] = router.getMatchedRoutes(router.latestLocation.pathname)
  fetchCode(routes)
}

/** Starts the readings of the page at the present address, before it is rendered. */
export function startLoading(context: RouteContext): void {
  router.update({ ...router.options, context })
  void router.load()
}

const OTHER_PAGES_AFTER_MS = 3_000
const stop = router.subscribe('onRendered', () => {
  stop()
  // Prefetched, so that they open while the server is away, too.
  setTimeout(() => fetchCode(Object.values(router.routesById)), OTHER_PAGES_AFTER_MS)
})

/** Pages of debug are fetched when somebody goes there, and may. */
function fetchCode(routes: readonly AnyRoute[]): void {
  for (const route of routes.filter((each) => !pageOf(each)?.isOfDebug)) {
    // The page itself reports code that cannot be fetched.
    router.loadRouteChunk(route)?.catch(() => undefined)
  }
}

declare module '@tanstack/react-router' {
  // An interface, because that is what declarations merge.
  // oxlint-disable-next-line typescript/consistent-type-definitions
  interface Register {
    router: typeof router
  }
}
