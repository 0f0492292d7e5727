export type Toast = {
  id: number
  text: string
  tone: 'ok' | 'bad'
  /** Milliseconds; null until it is closed. */
  lasts: number | null
  undo?: () => void
  /** What the button says that does it. */
  words?: string
  /** An action with the same value replaces this note, as the earlier one can no longer be undone. */
  about?: string | undefined
}

const MOST = 4

/** The visible notes, oldest first; the oldest is dropped when there are too many. */
export function createToastStore() {
  let toasts: readonly Toast[] = []
  let next = 1
  const listeners = new Set<() => void>()
  const change = (now: readonly Toast[]) => {
    toasts = now
    for (const listener of listeners) listener()
  }
  return {
    all: () => toasts,
    subscribe: (listener: () => void) => {
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
      }
    },
    show(toast: Omit<Toast, 'id'>) {
      const kept = toasts.filter(({ about }) => about === undefined || about !== toast.about)
      change([...kept, { ...toast, id: next++ }].slice(-MOST))
    },
    close(id: number) {
      change(toasts.filter((toast) => toast.id !== id))
    },
  }
}
