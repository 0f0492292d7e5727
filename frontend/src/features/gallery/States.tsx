import type { ReactNode } from 'react'
import { Panel } from '@/components/Page'
import classes from './gallery.module.css'

type StatesProps = {
  /** The name of the component. */
  of: string
  /** What it is for, in a sentence. */
  about: string
  /** States stand below each other, each over the full width. */
  wide?: boolean
  children: ReactNode
}

/** A component in all of its states. */
export function States({ of, about, wide = false, children }: StatesProps) {
  return (
    <Panel title={of} beside={<span className="note">{about}</span>}>
      <div className={wide ? classes.wide : classes.states}>{children}</div>
    </Panel>
  )
}

/** One of them, under its name. */
export function State({ name, children }: { name: string; children: ReactNode }) {
  return (
    <section className={classes.state} data-state={name}>
      <h3>{name}</h3>
      {children}
    </section>
  )
}
