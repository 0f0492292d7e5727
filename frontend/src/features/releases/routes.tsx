import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from '@/app/root'
import { text, texts } from '@/lib/search'

export type ReleasesSearch = { q?: string | undefined; app?: string | undefined; state?: string[] | undefined }
/** `from`: the release that is cloned. */
export type NewReleaseSearch = {
  from?: string | undefined
  scenario?: string | undefined
  task?: string | undefined
  version?: string | undefined
}

const releases = createRoute({
  getParentRoute: () => rootRoute,
  path: '/releases',
  validateSearch: (search): ReleasesSearch => ({
    q: text(search, 'q'),
    app: text(search, 'app'),
    state: texts(search, 'state'),
  }),
  component: lazyRouteComponent(() => import('./ReleasesPage'), 'ReleasesPage'),
})

const newRelease = createRoute({
  getParentRoute: () => rootRoute,
  path: '/releases/new',
  validateSearch: (search): NewReleaseSearch => ({
    from: text(search, 'from'),
    scenario: text(search, 'scenario'),
    task: text(search, 'task'),
    version: text(search, 'version'),
  }),
  component: lazyRouteComponent(() => import('./NewReleasePage'), 'NewReleasePage'),
})

const release = createRoute({
  getParentRoute: () => rootRoute,
  path: '/releases/$id',
  component: lazyRouteComponent(() => import('./ReleasePage'), 'ReleasePage'),
})

export const releaseRoutes = [releases, newRelease, release] as const
