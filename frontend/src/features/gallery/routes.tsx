import { createRoute, lazyRouteComponent, notFound } from '@tanstack/react-router'
import { Component } from 'lucide-react'
import { rootRoute } from '@/app/root'
import { readGallerySearch } from './search'

const gallery = createRoute({
  getParentRoute: () => rootRoute,
  path: '/components',
  staticData: { page: { title: 'Components', icon: Component, needsNoRole: true, isOfDebug: true } },
  validateSearch: readGallerySearch,
  beforeLoad: ({ context }) => {
    // oxlint-disable-next-line typescript/only-throw-error -- that is how the router is told
    if (!context.isDebug) throw notFound()
  },
  component: lazyRouteComponent(() => import('./GalleryPage'), 'GalleryPage'),
})

export const galleryRoutes = [gallery] as const
