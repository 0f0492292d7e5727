import { Link } from '@tanstack/react-router'
import { useId, useMemo } from 'react'
import { groupsOf, useNavigationPages, type PageGroup } from '../pages'
import classes from './shell.module.css'

/** The navigation: every page that belongs there, by groups. */
export function Navigation() {
  const pages = useNavigationPages()
  const groups = useMemo(() => groupsOf(pages), [pages])
  return (
    <nav aria-label="Pages" className={classes.nav}>
      {groups.map((group) => (
        <Group key={group.heading} {...group} />
      ))}
    </nav>
  )
}

function Group({ heading, pages }: PageGroup) {
  const id = useId()
  return (
    <div className={classes.group}>
      {heading && (
        <span id={id} className={classes.heading}>
          {heading}
        </span>
      )}
      <ul aria-labelledby={heading ? id : undefined} className={classes.pages}>
        {pages.map(({ path, title, icon: Icon }) => (
          <li key={path}>
            <Link
              to={path}
              title={title}
              className={classes.page}
              activeOptions={{ exact: path === '/', includeSearch: false }}
            >
              <Icon size={16} aria-hidden="true" />
              <span className={classes.label}>{title}</span>
            </Link>
          </li>
        ))}
      </ul>
    </div>
  )
}
