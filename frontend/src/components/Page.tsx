import type { ReactNode } from 'react'
import classes from './components.module.css'

/**
 * The body of a page below its header. `fills`: a table takes the height that is left and scrolls by itself; otherwise
 * the page scrolls.
 */
export function Page({ header, fills = false, children }: { header: ReactNode; fills?: boolean; children: ReactNode }) {
  return (
    <div className={fills ? classes.pageFilling : classes.page}>
      {header}
      {children}
    </div>
  )
}

/** A bordered part of a page under a heading. */
export function Panel({ title, beside, children }: { title: string; beside?: ReactNode; children: ReactNode }) {
  return (
    <section className={classes.panel}>
      <div className={classes.panelHead}>
        <h2>{title}</h2>
        {beside}
      </div>
      {children}
    </section>
  )
}
