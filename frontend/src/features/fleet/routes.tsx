import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { Gauge } from 'lucide-react'
import { prefetch } from '@/api/prefetch'
import { rootRoute } from '@/app/root'
import { activityQuery, fleetQuery } from './queries'
import { readFleetSearch } from './search'
import { USUAL_SPAN } from './spans'

const fleet = createRoute({
  getParentRoute: () => rootRoute,
  path: '/',
  staticData: { page: { title: 'Fleet', icon: Gauge, group: 'overview', key: 'f' } },
  validateSearch: readFleetSearch,
  loaderDeps: ({ search: { app, span = USUAL_SPAN } }) => ({ app, span }),
  loader: ({ context, deps: { app, span } }) =>
    prefetch(context.queryClient, fleetQuery(app), activityQuery(app, span)),
  component: lazyRouteComponent(() => import('./FleetPage'), 'FleetPage'),
})

export const fleetRoutes = [fleet] as const
