import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { CircleUser } from 'lucide-react'
import { rootRoute } from '@/app/root'
import { readAccountSearch } from './search'

const account = createRoute({
  getParentRoute: () => rootRoute,
  path: '/account',
  staticData: { page: { title: 'Account', icon: CircleUser, needsNoRole: true } },
  validateSearch: readAccountSearch,
  component: lazyRouteComponent(() => import('./AccountPage'), 'AccountPage'),
})

export const accountRoutes = [account] as const
