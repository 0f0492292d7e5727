import { Autocomplete } from '@mantine/core'
import { useDebouncedText } from '@/hooks/useDebouncedText'

type Props = {
  label: string
  value: string
  suggestions: readonly string[]
  placeholder?: string
  error?: string | undefined
  className?: string | undefined
  onCommit: (text: string) => void
}

const MOST = 50

/** A text input with suggestions: it takes effect when one is chosen, by Enter, and when the field loses focus. */
export function Suggested({ label, value, suggestions, placeholder, error, className, onCommit }: Props) {
  const { text, type, settle } = useDebouncedText(value, onCommit)
  return (
    <Autocomplete
      label={label}
      className={className}
      placeholder={placeholder}
      data={[...suggestions]}
      limit={MOST}
      value={text}
      error={error}
      autoComplete="off"
      spellCheck={false}
      onChange={type}
      onOptionSubmit={settle}
      onBlur={() => settle(text)}
      onKeyDown={(event) => {
        if (event.key === 'Enter') settle(event.currentTarget.value)
      }}
    />
  )
}
