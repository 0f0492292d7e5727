import { Tooltip } from '@mantine/core'
import { Check, Copy } from 'lucide-react'
import { useState } from 'react'
import classes from './components.module.css'

const SAID_MS = 1500

type Props = {
  text: string
  /** What it is, for people who cannot see it: "device id". */
  label: string
  /** What is shown in its place, such as the beginning of a digest. */
  short?: string
  /** A command: shown as a block. */
  block?: boolean
}

/** Something to copy by a click: ids, digests, commands. */
export function CopyText({ text, label, short, block = false }: Props) {
  const [copied, setCopied] = useState(false)
  const copy = () => {
    void writeClipboard(text).then(() => {
      setCopied(true)
      setTimeout(() => setCopied(false), SAID_MS)
    })
  }
  const Icon = copied ? Check : Copy
  return (
    <span className={block ? classes.copyBlock : classes.copy}>
      {/* A long command is scrolled; also with the keyboard. */}
      <code title={short === undefined ? undefined : text} tabIndex={block ? 0 : undefined}>
        {short ?? text}
      </code>
      <Tooltip label={copied ? 'Copied' : 'Copy'}>
        <button type="button" className={classes.copyButton} onClick={copy} aria-label={`Copy ${label}`}>
          <Icon size={13} aria-hidden="true" />
        </button>
      </Tooltip>
      <span className="visually-hidden" aria-live="polite">
        {copied ? 'Copied' : ''}
      </span>
    </span>
  )
}

const DIGEST_SHOWN = 12

/** A digest or a key's id, of which the beginning is shown. */
export function CopyDigest({ digest, label }: { digest: string; label: string }) {
  return <CopyText text={digest} short={digest.slice(0, DIGEST_SHOWN)} label={label} />
}

/** Browsers offer the clipboard only to pages that came by https or from this machine. */
async function writeClipboard(text: string): Promise<void> {
  if (window.isSecureContext) return navigator.clipboard.writeText(text)
  const field = document.createElement('textarea')
  field.value = text
  document.body.append(field)
  field.select()
  document.execCommand('copy') // eslint-disable-line @typescript-eslint/no-deprecated -- there is no other way here
  field.remove()
}
