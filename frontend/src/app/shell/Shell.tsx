import { Link, Outlet, useRouterState } from '@tanstack/react-router'
import { useCallback, useEffect, useRef, useState } from 'react'
import { NoRole } from '@/components/NoRole'
import { Page } from '@/components/Page'
import { PageHeader } from '@/components/PageHeader'
import { useRights } from '@/hooks/useRights'
import { ADMIN } from '../pages'
import { PaletteKey } from '../palette/PaletteKey'
import { Shortcuts } from '../shortcuts/Shortcuts'
import { ConnectionState } from './ConnectionState'
import { Logo } from './Logo'
import { Navigation } from './Navigation'
import { UserMenu } from './UserMenu'
import classes from './shell.module.css'

/** The frame of every page. */
export function Shell() {
  const rights = useRights()
  const needsNoRole = useRouterState({
    select: ({ matches }) => matches.some(({ staticData }) => staticData.page?.needsNoRole),
  })
  const main = useRef<HTMLElement>(null)
  const [showsKeys, setShowsKeys] = useState(false)
  const showKeys = useCallback(() => setShowsKeys(true), [])
  useTopOfNewPage(main)
  return (
    <div className={classes.shell}>
      <a className={classes.skip} href="#main">
        Skip to content
      </a>
      <header className={classes.side}>
        <Link to="/" className={classes.home} aria-label="Walle, to the fleet">
          <Logo />
        </Link>
        <PaletteKey />
        <Navigation />
        <div className={classes.foot}>
          <ConnectionState />
          {ADMIN.isFor?.(rights) && (
            <a href={ADMIN.path} title={ADMIN.title} className={classes.page}>
              <ADMIN.icon size={16} aria-hidden="true" />
              <span className={classes.label}>{ADMIN.title}</span>
            </a>
          )}
          <UserMenu onKeys={showKeys} />
        </div>
      </header>
      <main id="main" ref={main} tabIndex={-1} className={classes.main}>
        {rights.hasRoles || needsNoRole ? <Outlet /> : <NoRoleYet username={rights.username} />}
      </main>
      <Shortcuts opened={showsKeys} onOpen={showKeys} onClose={() => setShowsKeys(false)} />
    </div>
  )
}

/** Replaces every page for a person without roles; the address stays, and with it the requested page. */
function NoRoleYet({ username }: { username: string }) {
  return (
    <Page header={<PageHeader title="Welcome" passing />}>
      <NoRole where="any scenario or app" username={username}>
        Tasks belong to scenarios, devices to apps.
      </NoRole>
    </Page>
  )
}

/** Moves to the top of a new page, for screen readers, too; a filter changes the address but not the page. */
function useTopOfNewPage(main: React.RefObject<HTMLElement | null>): void {
  const path = useRouterState({ select: (state) => state.resolvedLocation?.pathname })
  const before = useRef(path)
  useEffect(() => {
    const another = before.current !== undefined && before.current !== path
    // A dialog may have been opened meanwhile, in which the person is typing.
    if (another && !document.activeElement?.closest('[role="dialog"]')) main.current?.focus({ preventScroll: true })
    before.current = path
  }, [main, path])
}
