import { useEffect, type RefObject } from 'react'
import { isForPage } from '@/lib/typing'

/** Focuses the page's search on `/`, unless somebody is typing. */
export function useSearchKey(field: RefObject<HTMLInputElement | null>): void {
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (event.key !== '/' || !isForPage(event)) return
      event.preventDefault()
      field.current?.focus()
      field.current?.select()
    }
    document.addEventListener('keydown', pressed)
    return () => document.removeEventListener('keydown', pressed)
  }, [field])
}
