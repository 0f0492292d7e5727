import { TextInput } from '@mantine/core'
import { useDebouncedText } from '@/hooks/useDebouncedText'
import { fromField, toField } from './momentField'
import classes from './devices.module.css'

type Props = {
  label: string
  value: string | undefined
  error: string | undefined
  onCommit: (moment: string | undefined) => void
}

/** An input of a moment, in the zone of the person. */
export function SeenField({ label, value, error, onCommit }: Props) {
  const { text, typeAndCommit } = useDebouncedText(toField(value), (field) => {
    const moment = fromField(field)
    // While a year is typed digit by digit, the earlier value stays until it is complete.
    if (field === '' || moment !== undefined) onCommit(moment)
  })
  return (
    <TextInput
      type="datetime-local"
      className={classes.moment}
      label={label}
      value={text}
      error={error}
      onChange={({ currentTarget }) => typeAndCommit(currentTarget.value)}
    />
  )
}
