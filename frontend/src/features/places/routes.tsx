import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { AppWindow, FolderGit2 } from 'lucide-react'
import { rootRoute } from '@/app/root'

const scenarios = createRoute({
  getParentRoute: () => rootRoute,
  path: '/scenarios',
  staticData: { page: { title: 'Scenarios', icon: FolderGit2, group: 'delivery', key: 'c' } },
  component: lazyRouteComponent(() => import('./ScenariosPage'), 'ScenariosPage'),
})

const scenario = createRoute({
  getParentRoute: () => rootRoute,
  path: '/scenarios/$scenario',
  component: lazyRouteComponent(() => import('./ScenarioPage'), 'ScenarioPage'),
})

const apps = createRoute({
  getParentRoute: () => rootRoute,
  path: '/apps',
  staticData: { page: { title: 'Apps', icon: AppWindow, group: 'devices', key: 'a' } },
  component: lazyRouteComponent(() => import('./AppsPage'), 'AppsPage'),
})

const app = createRoute({
  getParentRoute: () => rootRoute,
  path: '/apps/$app',
  component: lazyRouteComponent(() => import('./AppPage'), 'AppPage'),
})

export const placeRoutes = [scenarios, scenario, apps, app] as const
