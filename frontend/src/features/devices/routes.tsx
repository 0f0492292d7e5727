import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { Smartphone } from 'lucide-react'
import { rootRoute } from '@/app/root'
import { readDeviceSearch, readSearch } from './search'

const devices = createRoute({
  getParentRoute: () => rootRoute,
  path: '/devices',
  staticData: { page: { title: 'Devices', icon: Smartphone, group: 'devices', key: 'd' } },
  validateSearch: readSearch,
  component: lazyRouteComponent(() => import('./DevicesPage'), 'DevicesPage'),
})

const device = createRoute({
  getParentRoute: () => rootRoute,
  path: '/devices/$app/$device',
  validateSearch: readDeviceSearch,
  component: lazyRouteComponent(() => import('./DevicePage'), 'DevicePage'),
})

export const deviceRoutes = [devices, device] as const
