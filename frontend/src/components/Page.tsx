import type { CSSProperties, ReactNode } from 'react'
import { displaces } from '@/api/problem'
import { ErrorNote } from './ErrorNote'
import classes from './components.module.css'

type PageProps = {
  header: ReactNode
  /** A table fills the remaining height and scrolls by itself; otherwise the page scrolls. */
  fills?: boolean
  /** What the page is about, as it was read: a refusal stands in place of the content. */
  found?: { data: unknown; error: unknown; refetch: () => unknown }
  children: ReactNode
}

/** The body of a page below its header. */
export function Page({ header, fills = false, found, children }: PageProps) {
  return (
    <div className={fills ? classes.pageFilling : classes.page}>
      {header}
      {found && displaces(found.error, found.data) ? (
        <ErrorNote error={found.error} retry={() => void found.refetch()} />
      ) : (
        children
      )}
    </div>
  )
}

/** The columns of a row with a table and a narrower panel beside it. */
export const WIDE_AND_NARROW = 'minmax(0, 2fr) minmax(280px, 1fr)'

/**
 * Panels beside each other, or below each other if the window is narrow. `tracks` is for CSS grid, two halves by
 * default.
 */
export function PanelRow({ tracks = 'repeat(2, minmax(0, 1fr))', children }: { tracks?: string; children: ReactNode }) {
  return (
    <div className={classes.panelRow} style={{ '--tracks': tracks } as CSSProperties}>
      {children}
    </div>
  )
}

type PanelProps = {
  title: string
  /** The level of its heading: 3 below another heading. */
  level?: 2 | 3
  /** Content on the right of the heading. */
  beside?: ReactNode
  children: ReactNode
}

/** A bordered part of a page under a heading. */
export function Panel({ title, level = 2, beside, children }: PanelProps) {
  const Heading = level === 2 ? 'h2' : 'h3'
  return (
    <section className={classes.panel}>
      <div className={classes.panelHead}>
        <Heading>{title}</Heading>
        {beside}
      </div>
      {children}
    </section>
  )
}
