import { UnstyledButton } from '@mantine/core'
import { Search } from 'lucide-react'
import { lazy, Suspense, useEffect, useState } from 'react'
import { useEver } from '@/hooks/useEver'
import classes from '../shell/shell.module.css'

const Palette = lazy(() => import('./Palette'))

/** The shortcut Ctrl+K or ⌘K, and a button for it; the palette is loaded when it is first opened. */
export function PaletteKey() {
  const [opened, setOpened] = useState(false)
  const wanted = useEver(opened)
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return
      event.preventDefault()
      setOpened(true)
    }
    addEventListener('keydown', pressed)
    return () => removeEventListener('keydown', pressed)
  }, [])
  return (
    <>
      <UnstyledButton className={classes.place} onClick={() => setOpened(true)} aria-keyshortcuts="Control+K Meta+K">
        <Search size={16} aria-hidden="true" />
        <span className={classes.label}>Go to…</span>
        <kbd className={classes.keys}>Ctrl K</kbd>
      </UnstyledButton>
      {wanted && (
        <Suspense>
          <Palette opened={opened} onClose={() => setOpened(false)} />
        </Suspense>
      )}
    </>
  )
}
