import { useMatch } from '@tanstack/react-router'
import { useEffect, type ReactNode } from 'react'
import { remember } from '@/lib/recent'
import classes from './components.module.css'

type Props = {
  /** The title; that of the route by default. */
  title?: string
  /** Links above the title to where this belongs, the widest first. */
  above?: readonly ReactNode[]
  /** Content beside the title, such as status or id. */
  beside?: ReactNode
  /** Buttons on the right. */
  actions?: ReactNode
  /** Leaves the page out of the recent pages in the palette. */
  passing?: boolean
  /** Content below: filters, tabs. */
  children?: ReactNode
}

/** The head of a page, which also sets the title of the browser's tab. */
export function PageHeader({ title: ownTitle, above, beside, actions, passing = false, children }: Props) {
  const declared = useMatch({ strict: false, select: ({ staticData }) => staticData.page?.title })
  const title = ownTitle ?? declared ?? ''
  useEffect(() => {
    document.title = `${title} · Walle`
    if (!passing) remember({ path: location.pathname, title })
  }, [title, passing])
  return (
    <div className={classes.header}>
      {above && (
        <nav aria-label="Above this page">
          <ol className={classes.above}>
            {above.map((place, index) => (
              <li key={index}>{place}</li>
            ))}
          </ol>
        </nav>
      )}
      <div className={classes.headline}>
        <h1>{title}</h1>
        {beside}
        {actions && <div className={classes.actions}>{actions}</div>}
      </div>
      {children}
    </div>
  )
}
