import type { PageCase } from '../support/pages'

export const pages: PageCase[] = [{ name: 'not-found', path: '/tasks/no/such/page' }]
