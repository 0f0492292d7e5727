import { TextInput } from '@mantine/core'

const RULE = 'A lowercase letter, then up to 39 of a-z, 0-9 and -. It never changes.'

type Props = {
  label: string
  placeholder: string
  value: string
  error: string | undefined
  onChange: (name: string) => void
}

/** The name of a new app or scenario, as addresses and commands have it. */
export function NameField({ onChange, ...props }: Props) {
  return (
    <TextInput
      {...props}
      description={RULE}
      autoComplete="off"
      spellCheck={false}
      onChange={(event) => onChange(event.currentTarget.value)}
      data-autofocus
    />
  )
}
