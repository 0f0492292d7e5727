import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { Boxes } from 'lucide-react'
import { prefetch } from '@/api/prefetch'
import { pages, reading } from '@/api/reading'
import { rootRoute } from '@/app/root'
import { queryOf, readDiffSearch, readTaskSearch, readTasksSearch, scenariosQueryOf } from './search'

const tasks = createRoute({
  getParentRoute: () => rootRoute,
  path: '/tasks',
  staticData: { page: { title: 'Tasks', icon: Boxes, group: 'delivery', key: 't' } },
  validateSearch: readTasksSearch,
  loaderDeps: ({ search }) => ({ tasks: queryOf(search), scenarios: scenariosQueryOf(search) }),
  loader: ({ context, deps: { tasks, scenarios } }) =>
    prefetch(
      context.queryClient,
      pages('/api/v1/tasks', { query: tasks }),
      pages('/api/v1/scenarios', { query: scenarios }),
    ),
  component: lazyRouteComponent(() => import('./TasksPage'), 'TasksPage'),
})

const task = createRoute({
  getParentRoute: () => rootRoute,
  path: '/tasks/$scenario/$task',
  validateSearch: readTaskSearch,
  loader: ({ context, params: path }) =>
    prefetch(context.queryClient, reading('/api/v1/tasks/{scenario}/{task}', { path })),
  component: lazyRouteComponent(() => import('./TaskPage'), 'TaskPage'),
})

const diff = createRoute({
  getParentRoute: () => rootRoute,
  path: '/tasks/$scenario/$task/diff',
  validateSearch: readDiffSearch,
  component: lazyRouteComponent(() => import('./DiffPage'), 'DiffPage'),
})

export const taskRoutes = [tasks, task, diff] as const
