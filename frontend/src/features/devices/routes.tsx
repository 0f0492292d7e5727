import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from '@/app/root'
import { text, texts } from '@/lib/search'

/** `where`: conditions on facts, as the API takes them. */
export type DevicesSearch = { app?: string | undefined; q?: string | undefined; where?: string[] | undefined }

const devices = createRoute({
  getParentRoute: () => rootRoute,
  path: '/devices',
  validateSearch: (search): DevicesSearch => ({
    app: text(search, 'app'),
    q: text(search, 'q'),
    where: texts(search, 'where'),
  }),
  component: lazyRouteComponent(() => import('./DevicesPage'), 'DevicesPage'),
})

const device = createRoute({
  getParentRoute: () => rootRoute,
  path: '/devices/$app/$device',
  component: lazyRouteComponent(() => import('./DevicePage'), 'DevicePage'),
})

export const deviceRoutes = [devices, device] as const
