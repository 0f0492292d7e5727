import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { Server } from 'lucide-react'
import { rootRoute } from '@/app/root'
import { readPipelineSearch, readServingSearch } from './search'

const serving = createRoute({
  getParentRoute: () => rootRoute,
  path: '/serving',
  staticData: { page: { title: 'Serving', icon: Server, group: 'cloud', key: 's' } },
  validateSearch: readServingSearch,
  component: lazyRouteComponent(() => import('./ServingPage'), 'ServingPage'),
})

const pipeline = createRoute({
  getParentRoute: () => rootRoute,
  path: '/serving/$scenario/$task',
  validateSearch: readPipelineSearch,
  component: lazyRouteComponent(() => import('./PipelinePage'), 'PipelinePage'),
})

export const servingRoutes = [serving, pipeline] as const
