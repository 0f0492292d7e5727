import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { Rocket } from 'lucide-react'
import { rootRoute } from '@/app/root'
import { readReleaseDevicesSearch } from './releaseDevices'
import { readReleaseSearch, readReleasesSearch } from './search'
import { newRelease } from './wizard/route'

const releases = createRoute({
  getParentRoute: () => rootRoute,
  path: '/releases',
  staticData: { page: { title: 'Releases', icon: Rocket, group: 'delivery', key: 'r' } },
  validateSearch: readReleasesSearch,
  component: lazyRouteComponent(() => import('./ReleasesPage'), 'ReleasesPage'),
})

const release = createRoute({
  getParentRoute: () => rootRoute,
  path: '/releases/$id',
  validateSearch: readReleaseSearch,
  component: lazyRouteComponent(() => import('./ReleasePage'), 'ReleasePage'),
})

const devices = createRoute({
  getParentRoute: () => rootRoute,
  path: '/releases/$id/devices',
  validateSearch: readReleaseDevicesSearch,
  component: lazyRouteComponent(() => import('./ReleaseDevicesPage'), 'ReleaseDevicesPage'),
})

export const releaseRoutes = [releases, newRelease, release, devices] as const
