import { Select } from '@mantine/core'
import { useAppNames } from '@/hooks/useNames'
import { withChosen } from '@/lib/choices'
import classes from './components.module.css'

const ALL = { value: '', label: 'All apps' }
/** The number of apps listed at once; typing finds the others. */
const SHOWN = 100

type Props = {
  app: string | undefined
  onChange: (app: string | undefined) => void
  /** The label above it; without one it has an accessible name. */
  label?: string
  error?: string | undefined
}

/** A choice of one app, or of all that the person may see. */
export function AppFilter({ app, onChange, label, error }: Props) {
  const known = useAppNames()
  return (
    <Select
      aria-label={label ? undefined : 'App'}
      label={label}
      error={error}
      className={classes.appFilter}
      data={[ALL, ...withChosen(known, app)]}
      value={app ?? null}
      placeholder={ALL.label}
      onChange={(chosen) => onChange(chosen === ALL.value ? undefined : (chosen ?? undefined))}
      allowDeselect={false}
      searchable
      limit={SHOWN}
      nothingFoundMessage="No such app"
    />
  )
}
