import { useNavigate } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { isForPage } from '@/lib/typing'
import { useNavigationPages } from '../pages'
import { shortcutOf } from './shortcut'

/** The time in which g waits for its second key. */
const SECOND_KEY_MS = 1_500

/** Listens for the keys that lead to pages, into a page's list, and to help; not while somebody is typing. */
export function useShortcuts(onHelp: () => void): void {
  const pages = useNavigationPages()
  const navigate = useNavigate()
  const awaitsUntil = useRef(0)
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (event.defaultPrevented || !isForPage(event)) return
      const shortcut = shortcutOf(event.key, event.timeStamp < awaitsUntil.current, pages)
      awaitsUntil.current = shortcut?.does === 'await' ? event.timeStamp + SECOND_KEY_MS : 0
      if (!shortcut) return
      event.preventDefault()
      if (shortcut.does === 'go') void navigate({ href: shortcut.path })
      if (shortcut.does === 'help') onHelp()
      if (shortcut.does === 'list') document.querySelector<HTMLElement>('#main [data-index][tabindex="0"]')?.focus()
    }
    document.addEventListener('keydown', pressed)
    return () => document.removeEventListener('keydown', pressed)
  }, [pages, navigate, onHelp])
}
