/** Pages in the navigation and the palette. Each is declared once, with its route, in its feature's folder. */
import { useRouter, type AnyRoute } from '@tanstack/react-router'
import { Settings, type LucideIcon } from 'lucide-react'
import { useMemo } from 'react'
import { useRights } from '@/hooks/useRights'
import type { Rights } from '@/lib/rights'
import { useIsDebug } from './session/SessionGate'

/** The groups of the navigation, in their order; a group is shown once it has a page. The first has no heading. */
export const GROUPS = { overview: '', delivery: 'Delivery', devices: 'Devices and data', cloud: 'Cloud' } as const

/** What a route declares about its page; a page that is only linked from others, such as that of a device, has none. */
type PageFacts = {
  title: string
  icon: LucideIcon
  /** Its group in the navigation; without one, only the palette leads to it. */
  group?: keyof typeof GROUPS
  /** The letter that leads to it after g. */
  key?: string
  /** Whether people without any role see it, too. */
  needsNoRole?: boolean
  /** Returns whether it is offered to a person; to everybody if undefined. */
  isFor?: (rights: Rights) => boolean
  /** Whether it is for work on Walle itself: there while the server runs in debug. */
  isOfDebug?: boolean
}
export type NavigationPage = PageFacts & { path: string }
export type PageGroup = { heading: string; pages: NavigationPage[] }

declare module '@tanstack/react-router' {
  // An interface, because that is what declarations merge.
  // oxlint-disable-next-line typescript/consistent-type-definitions
  interface StaticDataRouteOption {
    page?: PageFacts
  }
}

/** Django's own pages: behind the dashboard's router. */
export const ADMIN: NavigationPage = {
  path: '/admin/',
  title: 'Admin',
  icon: Settings,
  isFor: ({ isStaff }) => isStaff,
}

/** Returns the pages that this person may visit, in the order of the routes. */
export function useNavigationPages(): NavigationPage[] {
  const { routesById } = useRouter()
  const rights = useRights()
  const isDebug = useIsDebug()
  return useMemo(() => navigationPages(Object.values(routesById), rights, isDebug), [routesById, rights, isDebug])
}

export function navigationPages(routes: readonly AnyRoute[], rights: Rights, isDebug: boolean): NavigationPage[] {
  const declared = routes.flatMap((route) => {
    const page = pageOf(route)
    return page ? [{ path: route.fullPath as string, ...page }] : []
  })
  return [...declared, ADMIN].filter(({ isFor, isOfDebug }) => (isDebug || !isOfDebug) && (!isFor || isFor(rights)))
}

/** Returns what a route declares about its page. */
export function pageOf({ options }: AnyRoute): PageFacts | undefined {
  return (options as { staticData?: { page?: PageFacts } }).staticData?.page
}

/** Returns the groups of the navigation that have a page. */
export function groupsOf(pages: readonly NavigationPage[]): PageGroup[] {
  return Object.entries(GROUPS)
    .map(([name, heading]) => ({ heading, pages: pages.filter(({ group }) => group === name) }))
    .filter(({ pages: found }) => found.length > 0)
}
