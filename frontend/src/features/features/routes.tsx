import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { Waypoints } from 'lucide-react'
import { rootRoute } from '@/app/root'
import { readFeatureSearch } from './search'

const features = createRoute({
  getParentRoute: () => rootRoute,
  path: '/features',
  staticData: { page: { title: 'Features', icon: Waypoints, group: 'devices', key: 'e' } },
  validateSearch: readFeatureSearch,
  component: lazyRouteComponent(() => import('./FeaturesPage'), 'FeaturesPage'),
})

export const featureRoutes = [features] as const
