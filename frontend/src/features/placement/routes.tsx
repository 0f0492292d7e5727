import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { Layers } from 'lucide-react'
import { rootRoute } from '@/app/root'
import { readPlacementsSearch, readWorkflowSearch } from './search'

const placements = createRoute({
  getParentRoute: () => rootRoute,
  path: '/placements',
  staticData: { page: { title: 'Placement', icon: Layers, group: 'cloud', key: 'p' } },
  validateSearch: readPlacementsSearch,
  component: lazyRouteComponent(() => import('./PlacementsPage'), 'PlacementsPage'),
})

const workflow = createRoute({
  getParentRoute: () => rootRoute,
  path: '/placements/$scenario/$workflow',
  validateSearch: readWorkflowSearch,
  component: lazyRouteComponent(() => import('./WorkflowPage'), 'WorkflowPage'),
})

export const placementRoutes = [placements, workflow] as const
