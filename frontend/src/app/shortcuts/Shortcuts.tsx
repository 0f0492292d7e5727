import { lazy, Suspense } from 'react'
import { useEver } from '@/hooks/useEver'
import { useShortcuts } from './useShortcuts'

const ShortcutsDialog = lazy(() => import('./ShortcutsDialog'))

type Props = { opened: boolean; onOpen: () => void; onClose: () => void }

/** The keys of every page, and the dialog that lists them, which is loaded when it is first opened. */
export function Shortcuts({ opened, onOpen, onClose }: Props) {
  const wanted = useEver(opened)
  useShortcuts(onOpen)
  return (
    wanted && (
      <Suspense>
        <ShortcutsDialog opened={opened} onClose={onClose} />
      </Suspense>
    )
  )
}
