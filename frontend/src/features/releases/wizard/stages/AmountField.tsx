import { NumberInput } from '@mantine/core'
import { faultsAt, sentence, type Fault } from '../faults'
import type { Amount } from '../strategy'

type Props = {
  label: string
  description?: string
  /** Its place in the request, as in error messages. */
  path: string
  faults: readonly Fault[]
  value: Amount
  onChange: (value: Amount) => void
}

/** A number input with the server's errors about it. */
export function AmountField({ path, faults, value, onChange, ...named }: Props) {
  const [fault] = faultsAt(faults, path)
  return (
    <NumberInput
      {...named}
      hideControls
      value={value}
      error={fault && sentence(fault)}
      onChange={(typed) => onChange(amountOf(typed))}
    />
  )
}

/** Parses the value of NumberInput, which is a text while incomplete, such as "-". */
export function amountOf(typed: string | number): Amount {
  if (typeof typed === 'number') return typed
  const number = typed.trim() === '' ? Number.NaN : Number(typed)
  return Number.isFinite(number) ? number : ''
}
