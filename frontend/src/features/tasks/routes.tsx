import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from '@/app/root'
import { text } from '@/lib/search'

export type TasksSearch = { q?: string | undefined; scenario?: string | undefined }
export type TaskSearch = { version?: string | undefined }
export type DiffSearch = { from?: string | undefined; to?: string | undefined }

const tasks = createRoute({
  getParentRoute: () => rootRoute,
  path: '/tasks',
  validateSearch: (search): TasksSearch => ({ q: text(search, 'q'), scenario: text(search, 'scenario') }),
  component: lazyRouteComponent(() => import('./TasksPage'), 'TasksPage'),
})

const task = createRoute({
  getParentRoute: () => rootRoute,
  path: '/tasks/$scenario/$task',
  validateSearch: (search): TaskSearch => ({ version: text(search, 'version') }),
  component: lazyRouteComponent(() => import('./TaskPage'), 'TaskPage'),
})

const diff = createRoute({
  getParentRoute: () => rootRoute,
  path: '/tasks/$scenario/$task/diff',
  validateSearch: (search): DiffSearch => ({ from: text(search, 'from'), to: text(search, 'to') }),
  component: lazyRouteComponent(() => import('./DiffPage'), 'DiffPage'),
})

export const taskRoutes = [tasks, task, diff] as const
