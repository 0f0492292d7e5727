import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import type { ReleaseState } from '@/api/schemas'
import { rootRoute } from '@/app/root'
import { RELEASE_STATES } from '@/lib/releaseState'
import { choice, text } from '@/lib/search'
import { readDrawnSearch } from './drawn'
import { newRelease } from './wizard/route'

/** `task`: "<scenario>/<task>". */
export type ReleasesSearch = {
  task?: string | undefined
  app?: string | undefined
  state?: ReleaseState | undefined
}
/** `cell`: of the simulation, whose log is open. */
export type ReleaseSearch = { cell?: string | undefined }

const releases = createRoute({
  getParentRoute: () => rootRoute,
  path: '/releases',
  validateSearch: (search): ReleasesSearch => ({
    task: text(search, 'task'),
    app: text(search, 'app'),
    state: choice(search, 'state', RELEASE_STATES),
  }),
  component: lazyRouteComponent(() => import('./ReleasesPage'), 'ReleasesPage'),
})

const release = createRoute({
  getParentRoute: () => rootRoute,
  path: '/releases/$id',
  validateSearch: (search): ReleaseSearch => ({ cell: text(search, 'cell') }),
  component: lazyRouteComponent(() => import('./ReleasePage'), 'ReleasePage'),
})

const devices = createRoute({
  getParentRoute: () => rootRoute,
  path: '/releases/$id/devices',
  validateSearch: readDrawnSearch,
  component: lazyRouteComponent(() => import('./DrawnPage'), 'DrawnPage'),
})

export const releaseRoutes = [releases, newRelease, release, devices] as const
