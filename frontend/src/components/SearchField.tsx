import { CloseButton, TextInput } from '@mantine/core'
import { Search } from 'lucide-react'
import { useRef } from 'react'
import { useSearchKey } from '@/hooks/useSearchKey'
import { useDebouncedText } from '@/hooks/useDebouncedText'
import classes from './components.module.css'

type Props = {
  /** The accessible name, such as "Search tasks". */
  label: string
  value: string | undefined
  /** Called after a pause in typing, or Enter. */
  onChange: (value: string) => void
}

/** The search of a page, which is a filter in its address; `/` focuses it. */
export function SearchField({ label, value = '', onChange }: Props) {
  const field = useRef<HTMLInputElement>(null)
  const { text, typeAndCommit, settle } = useDebouncedText(value, onChange)
  useSearchKey(field)
  return (
    <TextInput
      ref={field}
      type="search"
      aria-label={label}
      placeholder={`${label}  /`}
      className={classes.search}
      value={text}
      leftSection={<Search size={14} aria-hidden="true" />}
      rightSection={
        text && (
          <CloseButton
            size="sm"
            aria-label="Clear search"
            onClick={() => {
              settle('')
              field.current?.focus()
            }}
          />
        )
      }
      onChange={(event) => typeAndCommit(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key === 'Enter') settle(text)
      }}
    />
  )
}
