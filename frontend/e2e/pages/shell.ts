import type { PageCase } from '../support/pages'

export const pages: PageCase[] = [{ name: 'not-found', path: '/no-such-page' }]
