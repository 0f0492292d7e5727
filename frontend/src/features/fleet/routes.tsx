import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { Gauge } from 'lucide-react'
import { rootRoute } from '@/app/root'
import { readFleetSearch } from './search'

const fleet = createRoute({
  getParentRoute: () => rootRoute,
  path: '/',
  staticData: { page: { title: 'Fleet', icon: Gauge, group: 'overview', key: 'f' } },
  validateSearch: readFleetSearch,
  component: lazyRouteComponent(() => import('./FleetPage'), 'FleetPage'),
})

export const fleetRoutes = [fleet] as const
