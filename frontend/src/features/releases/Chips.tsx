import type { ReactNode } from 'react'
import classes from './releases.module.css'

type Props<Name extends string> = {
  /** The accessible name of the choice. */
  label: string
  names: readonly Name[]
  chosen: Name | undefined
  onPress: (name: Name) => void
  children: (name: Name) => ReactNode
}

/** Buttons, one of which may be chosen. */
export function Chips<Name extends string>({ label, names, chosen, onPress, children }: Props<Name>) {
  return (
    <div role="group" aria-label={label} className={classes.chips}>
      {names.map((name) => (
        <button
          key={name}
          type="button"
          className={classes.chip}
          aria-pressed={name === chosen}
          onClick={() => onPress(name)}
        >
          {children(name)}
        </button>
      ))}
    </div>
  )
}
