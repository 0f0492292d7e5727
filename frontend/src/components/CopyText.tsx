import { Tooltip } from '@mantine/core'
import { Check, Copy, X } from 'lucide-react'
import { useEffect, useState } from 'react'
import classes from './components.module.css'

const SHOWN_MS = 1500
const MESSAGES = { copied: 'Copied', refused: 'The browser refused to copy. Select the text and copy it.' }

type Props = {
  text: string
  /** The accessible name, such as "device id". */
  label: string
  /** A shorter text to show instead, such as the beginning of a digest. */
  short?: string
  /** Shows the text as a block, as for a command. */
  block?: boolean
}

/** A text that is copied by a click: ids, digests, commands. */
export function CopyText({ text, label, short, block = false }: Props) {
  const [outcome, setOutcome] = useState<keyof typeof MESSAGES | null>(null)
  useEffect(() => {
    if (outcome !== 'copied') return
    const timer = setTimeout(() => setOutcome(null), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [outcome])
  const copy = () => {
    void writeClipboard(text).then((written) => setOutcome(written ? 'copied' : 'refused'))
  }
  const Icon = outcome === 'copied' ? Check : outcome === 'refused' ? X : Copy
  return (
    <span className={block ? classes.copyBlock : classes.copy}>
      {/* A long command is scrolled; also with the keyboard. */}
      <code title={short === undefined ? undefined : text} tabIndex={block ? 0 : undefined}>
        {outcome === 'refused' ? text : (short ?? text)}
      </code>
      <Tooltip label={outcome ? MESSAGES[outcome] : 'Copy'}>
        <button type="button" className="icon-button" onClick={copy} aria-label={`Copy ${label}`}>
          <Icon size={13} aria-hidden="true" />
        </button>
      </Tooltip>
      <span className="visually-hidden" aria-live="polite">
        {outcome && MESSAGES[outcome]}
      </span>
    </span>
  )
}

const DIGEST_SHOWN = 12

/** A digest or a key's id, of which the beginning is shown. */
export function CopyDigest({ digest, label }: { digest: string; label: string }) {
  return <CopyText text={digest} short={digest.slice(0, DIGEST_SHOWN)} label={label} />
}

/**
 * Writes to the clipboard; returns whether that succeeded. Browsers allow it only on pages from https or this machine.
 */
async function writeClipboard(text: string): Promise<boolean> {
  if (!window.isSecureContext) return writeBySelecting(text)
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return false
  }
}

function writeBySelecting(text: string): boolean {
  const focused = document.activeElement
  const field = document.createElement('textarea')
  field.value = text
  document.body.append(field)
  field.select()
  const written = document.execCommand('copy') // oxlint-disable-line typescript/no-deprecated -- there is no other way here
  field.remove()
  if (focused instanceof HTMLElement) focused.focus({ preventScroll: true })
  return written
}
