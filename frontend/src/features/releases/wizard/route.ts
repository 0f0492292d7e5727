import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { rootRoute } from '@/app/root'
import { choice, text } from '@/lib/search'
import { STEPS, type Step } from './steps'

/** `clone` is the release that is released again; `step` defaults to the first one. */
type NewReleaseSearch = {
  clone?: string | undefined
  app?: string | undefined
  scenario?: string | undefined
  task?: string | undefined
  version?: string | undefined
  step?: Step | undefined
}

export const newRelease = createRoute({
  getParentRoute: () => rootRoute,
  path: '/releases/new',
  staticData: {
    page: { title: 'New release', icon: Plus, isFor: ({ mayAnywhere }) => mayAnywhere('release', 'scenario') },
  },
  validateSearch: (search): NewReleaseSearch => ({
    clone: text(search, 'clone'),
    app: text(search, 'app'),
    scenario: text(search, 'scenario'),
    task: text(search, 'task'),
    version: text(search, 'version'),
    step: choice(search, 'step', STEPS),
  }),
  component: lazyRouteComponent(() => import('./WizardPage'), 'WizardPage'),
})
