import type { PageCase } from '../support/pages'

export const pages: PageCase[] = [
  { name: 'tasks', path: '/tasks', table: true },
  { name: 'task', path: '/tasks/camera/digits' },
  { name: 'diff', path: '/tasks/camera/digits/diff?from=1.0.0&to=1.1.0' },
]
