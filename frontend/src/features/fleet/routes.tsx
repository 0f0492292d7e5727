import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from '@/app/root'
import { choice, text } from '@/lib/search'
import { SPANS, type Span } from './spans'

/** `span`: how far back the charts reach. */
export type FleetSearch = { app?: string | undefined; span?: Span | undefined }

const fleet = createRoute({
  getParentRoute: () => rootRoute,
  path: '/',
  validateSearch: (search): FleetSearch => ({ app: text(search, 'app'), span: choice(search, 'span', SPANS) }),
  component: lazyRouteComponent(() => import('./FleetPage'), 'FleetPage'),
})

export const fleetRoutes = [fleet] as const
