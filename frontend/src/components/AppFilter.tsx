import { Select } from '@mantine/core'
import { useAppNames } from '@/hooks/useNames'
import { withChosen } from '@/lib/choices'
import classes from './components.module.css'

const ALL = { value: '', label: 'All apps' }
/** So many are listed at once; typing finds the others. */
const SHOWN = 100

type Props = {
  app: string | undefined
  onChange: (app: string | undefined) => void
  /** Shown above it; otherwise it says by itself what it is. */
  label?: string
  error?: string | undefined
}

/** One app, or all that the person may see. */
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
