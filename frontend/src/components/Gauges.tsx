import type { ComponentProps, ReactNode } from 'react'
import classes from './gauges.module.css'

type Props = Omit<ComponentProps<'dl'>, 'children' | 'className'> & {
  figures: Record<string, ReactNode>
  /** For the few figures that a page is about. */
  isLarge?: boolean
}

/** Numbers under their names, beside each other; they may change many times a minute without moving each other. */
export function Gauges({ figures, isLarge = false, ...props }: Props) {
  return (
    <dl className={isLarge ? classes.large : classes.gauges} {...props}>
      {Object.entries(figures).map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd data-figure={name}>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
