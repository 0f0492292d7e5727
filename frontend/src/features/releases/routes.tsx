import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { Rocket } from 'lucide-react'
import { prefetch } from '@/api/prefetch'
import { pages } from '@/api/reading'
import { rootRoute } from '@/app/root'
import { readReleaseDevicesSearch } from './releaseDevices'
import { queryOf, readReleaseSearch, readReleasesSearch } from './search'
import { taggedRelease } from './taggedRelease'
import { newRelease } from './wizard/route'

const releases = createRoute({
  getParentRoute: () => rootRoute,
  path: '/releases',
  staticData: { page: { title: 'Releases', icon: Rocket, group: 'delivery', key: 'r' } },
  validateSearch: readReleasesSearch,
  loaderDeps: ({ search }) => queryOf(search),
  loader: ({ context, deps: query }) => prefetch(context.queryClient, pages('/api/v1/releases', { query })),
  component: lazyRouteComponent(() => import('./ReleasesPage'), 'ReleasesPage'),
})

const release = createRoute({
  getParentRoute: () => rootRoute,
  path: '/releases/$id',
  validateSearch: readReleaseSearch,
  loader: ({ context, params }) => prefetch(context.queryClient, taggedRelease(Number(params.id))),
  component: lazyRouteComponent(() => import('./ReleasePage'), 'ReleasePage'),
})

const devices = createRoute({
  getParentRoute: () => rootRoute,
  path: '/releases/$id/devices',
  validateSearch: readReleaseDevicesSearch,
  component: lazyRouteComponent(() => import('./ReleaseDevicesPage'), 'ReleaseDevicesPage'),
})

export const releaseRoutes = [releases, newRelease, release, devices] as const
