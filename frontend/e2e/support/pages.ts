/** Pages that journey 8 looks at; each feature lists its own in e2e/pages/<feature>.ts. */
import type { Page } from 'playwright-core'

export type PageCase = {
  /** Names its pictures. */
  name: string
  /** Its address; may look for one, such as that of the newest release. */
  path: string | (() => Promise<string>)
  /** Waits until all is there that the page shows. */
  ready?: (page: Page) => Promise<unknown>
  /** The API's address that it reads first. */
  reads?: RegExp
  /** A table that has to stay usable on narrow windows: also pictured at 768. */
  table?: boolean
}

/** All of them, in the order of their files. */
export function allPages(): PageCase[] {
  const files = import.meta.glob<{ pages: PageCase[] }>('../pages/*.ts', { eager: true })
  return Object.values(files).flatMap((file) => file.pages)
}
