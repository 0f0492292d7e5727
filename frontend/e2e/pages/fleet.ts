import type { PageCase } from '../support/pages'

export const pages: PageCase[] = [{ name: 'fleet', path: '/' }]
