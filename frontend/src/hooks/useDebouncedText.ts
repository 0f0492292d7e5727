import { useDebouncedCallback } from '@mantine/hooks'
import { useState } from 'react'

const WAIT_MS = 250

/** A text that is being typed, and is put into the address a moment after the last key, or at once by `settle`. */
export function useDebouncedText(value: string, commit: (text: string) => void) {
  const [text, setText] = useState(value)
  const [seen, setSeen] = useState({ value, committed: value })
  if (value !== seen.value) {
    setSeen({ value, committed: value })
    // A committed text comes back through the address, while more may have been typed.
    if (value !== seen.committed) setText(value)
  }
  const put = (typed: string) => {
    const settled = typed.trim()
    setSeen((before) => ({ ...before, committed: settled }))
    if (settled !== value) commit(settled)
  }
  const later = useDebouncedCallback(put, WAIT_MS)
  return {
    text,
    type: setText,
    typeAndCommit: (typed: string) => {
      setText(typed)
      later(typed)
    },
    settle: (typed: string) => {
      later.cancel()
      setText(typed.trim())
      put(typed)
    },
  }
}
