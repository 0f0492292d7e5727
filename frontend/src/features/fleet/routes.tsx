import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from '@/app/root'
import { text } from '@/lib/search'

export type FleetSearch = { app?: string | undefined }

const fleet = createRoute({
  getParentRoute: () => rootRoute,
  path: '/',
  validateSearch: (search): FleetSearch => ({ app: text(search, 'app') }),
  component: lazyRouteComponent(() => import('./FleetPage'), 'FleetPage'),
})

export const fleetRoutes = [fleet] as const
