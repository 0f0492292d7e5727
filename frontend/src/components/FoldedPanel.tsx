import { Button } from '@mantine/core'
import type { ReactNode } from 'react'
import classes from './components.module.css'

type Props = {
  title: string
  /** What there is instead of content, or that there is some now. */
  children: ReactNode
  /** What shows the content, and the name of the button for it; left out while there is none. */
  unfold?: { name: string; onClick: () => void } | undefined
}

/** A panel without content, as one line. Its height stays, also once there is something to show. */
export function FoldedPanel({ title, children, unfold }: Props) {
  return (
    <section className={classes.folded}>
      <h2>{title}</h2>
      <div className={classes.foldedText}>{children}</div>
      {unfold && (
        <Button variant="default" size="compact-xs" onClick={unfold.onClick}>
          {unfold.name}
        </Button>
      )}
    </section>
  )
}
