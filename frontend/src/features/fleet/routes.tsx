import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from '@/app/root'
import { readFleetSearch } from './search'

const fleet = createRoute({
  getParentRoute: () => rootRoute,
  path: '/',
  validateSearch: readFleetSearch,
  component: lazyRouteComponent(() => import('./FleetPage'), 'FleetPage'),
})

export const fleetRoutes = [fleet] as const
