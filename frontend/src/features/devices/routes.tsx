import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { Smartphone } from 'lucide-react'
import { prefetch } from '@/api/prefetch'
import { rootRoute } from '@/app/root'
import { deviceCount, deviceDetail, foundDevices } from './queries'
import { queryOf, readDeviceSearch, readSearch } from './search'

const devices = createRoute({
  getParentRoute: () => rootRoute,
  path: '/devices',
  staticData: { page: { title: 'Devices', icon: Smartphone, group: 'devices', key: 'd' } },
  validateSearch: readSearch,
  loaderDeps: ({ search }) => queryOf(search),
  loader: ({ context, deps: query }) => prefetch(context.queryClient, foundDevices(query), deviceCount(query)),
  component: lazyRouteComponent(() => import('./DevicesPage'), 'DevicesPage'),
})

const device = createRoute({
  getParentRoute: () => rootRoute,
  path: '/devices/$app/$device',
  validateSearch: readDeviceSearch,
  loader: ({ context, params }) => prefetch(context.queryClient, deviceDetail(params)),
  component: lazyRouteComponent(() => import('./DevicePage'), 'DevicePage'),
})

export const deviceRoutes = [devices, device] as const
