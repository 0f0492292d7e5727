import type { ReactNode } from 'react'
import classes from './serving.module.css'

/** Numbers under their names, beside each other. */
export function Figures({ figures }: { figures: Record<string, ReactNode> }) {
  return (
    <dl className={classes.figures}>
      {Object.entries(figures).map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd data-figure={name}>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
