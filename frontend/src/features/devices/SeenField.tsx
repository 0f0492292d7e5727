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

/** A moment, in the zone of whoever looks. */
export function SeenField({ label, value, error, onCommit }: Props) {
  const { text, typeAndCommit } = useDebouncedText(toField(value), (field) => {
    const moment = fromField(field)
    // Of a year that comes digit by digit, what was there before stays until it is whole.
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
