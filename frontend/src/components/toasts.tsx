/** Notes at the edge of the screen: what was done, with a button to undo it; what was refused. */
import { Button, CloseButton } from '@mantine/core'
import { CircleCheck, CircleX } from 'lucide-react'
import { useEffect, useState, useSyncExternalStore } from 'react'
import { ApiProblem } from '@/api/problem'
import { createToastStore, type Toast } from '@/lib/toastStore'
import { TONE_COLOR } from '@/lib/tone'
import classes from './components.module.css'

const UNDO_MS = 10_000
const DONE_MS = 5_000
const store = createToastStore()

/**
 * Reports an action, and offers a way back for ten seconds, or until something else is done with `about`. `words` name
 * what that does, where it does not restore what was.
 */
export function undoToast(text: string, undo: () => void, about?: string, words = 'Undo'): void {
  store.show({ text, tone: 'ok', lasts: UNDO_MS, undo, words, about })
}

/** Reports an action. */
export function doneToast(text: string): void {
  store.show({ text, tone: 'ok', lasts: DONE_MS })
}

/** Reports a refusal and its reason until it is closed. A repeated refusal is reported once. */
export function refusedToast(text: string, error: unknown): void {
  const why = error instanceof ApiProblem ? sentences(error.message, error.nextStep) : String(error)
  const message = `${text}: ${why}`
  store.show({ text: message, tone: 'bad', lasts: null, about: message })
}

function sentences(...parts: string[]): string {
  return parts
    .filter((part) => part !== '')
    .map((part) => (/[.!?]$/.test(part) ? part : `${part}.`))
    .join(' ')
}

/** The place where notes appear; used once, in App. */
export function Toasts() {
  const toasts = useSyncExternalStore(store.subscribe, store.all)
  return (
    <section className={classes.toasts} aria-label="Notes" aria-live="polite">
      {toasts.map((toast) => (
        <ToastCard key={toast.id} toast={toast} />
      ))}
    </section>
  )
}

function ToastCard({ toast }: { toast: Toast }) {
  const [held, setHeld] = useState(false)
  useEffect(() => {
    if (held || toast.lasts === null) return
    const timer = setTimeout(() => store.close(toast.id), toast.lasts)
    return () => clearTimeout(timer)
  }, [held, toast])
  const Icon = toast.tone === 'bad' ? CircleX : CircleCheck
  const close = () => {
    store.close(toast.id)
    // The button disappears with the note.
    document.getElementById('main')?.focus({ preventScroll: true })
  }
  return (
    <div
      className={classes.toast}
      role={toast.tone === 'bad' ? 'alert' : undefined}
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
    >
      <Icon size={16} aria-hidden="true" style={{ color: TONE_COLOR[toast.tone] }} />
      <span className={classes.toastText}>{toast.text}</span>
      {toast.undo && (
        <Button
          variant="default"
          size="compact-sm"
          onClick={() => {
            close()
            toast.undo?.()
          }}
        >
          {toast.words ?? 'Undo'}
        </Button>
      )}
      <CloseButton size="sm" aria-label="Close" onClick={close} />
    </div>
  )
}
