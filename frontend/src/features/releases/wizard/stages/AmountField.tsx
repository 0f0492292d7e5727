import { NumberInput } from '@mantine/core'
import { faultsAt, sentence, type Fault } from '../faults'
import type { Amount } from '../strategy'

type Props = {
  label: string
  description?: string
  /** Its place in what is sent, as faults name it. */
  path: string
  faults: readonly Fault[]
  value: Amount
  onChange: (value: Amount) => void
}

/** A number, with what the server says is wrong with it. */
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

/** NumberInput says what is half-typed, such as "-", as text: that is not yet an amount. */
export function amountOf(typed: string | number): Amount {
  if (typeof typed === 'number') return typed
  const number = typed.trim() === '' ? Number.NaN : Number(typed)
  return Number.isFinite(number) ? number : ''
}
