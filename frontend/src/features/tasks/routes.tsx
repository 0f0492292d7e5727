import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { Boxes } from 'lucide-react'
import { rootRoute } from '@/app/root'
import { readDiffSearch, readTaskSearch, readTasksSearch } from './search'

const tasks = createRoute({
  getParentRoute: () => rootRoute,
  path: '/tasks',
  staticData: { page: { title: 'Tasks', icon: Boxes, group: 'delivery', key: 't' } },
  validateSearch: readTasksSearch,
  component: lazyRouteComponent(() => import('./TasksPage'), 'TasksPage'),
})

const task = createRoute({
  getParentRoute: () => rootRoute,
  path: '/tasks/$scenario/$task',
  validateSearch: readTaskSearch,
  component: lazyRouteComponent(() => import('./TaskPage'), 'TaskPage'),
})

const diff = createRoute({
  getParentRoute: () => rootRoute,
  path: '/tasks/$scenario/$task/diff',
  validateSearch: readDiffSearch,
  component: lazyRouteComponent(() => import('./DiffPage'), 'DiffPage'),
})

export const taskRoutes = [tasks, task, diff] as const
