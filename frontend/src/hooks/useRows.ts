import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual'
import { useRef, useState, type KeyboardEvent } from 'react'
import { nextRow, withRow } from '@/lib/rowKeys'
import { isForList } from '@/lib/typing'

const OVERSCAN = 12

type Rows = {
  count: number
  /** The height of a row in pixels. */
  height: number
  /** The height of a sticky head above them. */
  head?: number
  keyOf?: (index: number) => string | number
}

/**
 * Rows of which only visible ones are in the document. `scroller` scrolls them; each has its index as `data-index`.
 *
 * Arrows, j and k, Home, End and Page keys move between them (`move`), and Tab leads to the one that is `active`. That
 * one stays in the document: otherwise scrolling away from it would lose the focus.
 */
export function useRows<Scroller extends HTMLElement>({ count, height, head = 0, keyOf = Number }: Rows) {
  const scroller = useRef<Scroller>(null)
  const [chosen, setActive] = useState(0)
  const active = Math.min(chosen, count - 1)
  // oxlint-disable-next-line react/incompatible-library -- the compiler that it would hinder is not used
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => height,
    overscan: OVERSCAN,
    scrollPaddingStart: head,
    getItemKey: keyOf,
    rangeExtractor: (range) => withRow(defaultRangeExtractor(range), active),
  })
  const move = (event: KeyboardEvent) => {
    if (event.key.length === 1 && !isForList(event)) return
    const page = Math.max(1, Math.floor((scroller.current?.clientHeight ?? height) / height) - 2)
    const to = nextRow(event.key, active, count, page)
    if (to === null) return
    event.preventDefault()
    setActive(to)
    virtual.scrollToIndex(to)
    // The row may enter the document only with the next frame.
    requestAnimationFrame(() => {
      scroller.current?.querySelector<HTMLElement>(`[data-index="${to}"]`)?.focus({ preventScroll: true })
    })
  }
  return { scroller, virtual, active, setActive, move }
}

/** Returns the index of the row that contains an element. */
export function rowAt(target: EventTarget): number | null {
  const index = target instanceof Element ? target.closest('[data-index]')?.getAttribute('data-index') : null
  return index === null || index === undefined ? null : Number(index)
}
