import { MultiSelect } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { LASTING, reading } from '@/api/reading'
import { useAppNames, useScenarioNames } from '@/hooks/useNames'

type Props = {
  label: string
  /** What no scope stands for. */
  placeholder: string
  disabled?: boolean
  value: string[]
  onChange: (scopes: string[]) => void
}

/** The scenarios and apps in which the person has a role; all of them for site staff. */
export function ScopesField({ label, placeholder, disabled = false, value, onChange }: Props) {
  const { data } = useQuery({ ...reading('/api/v1/me'), ...LASTING })
  const scenarios = useScenarioNames().map((name) => `scenario:${name}`)
  const apps = useAppNames().map((name) => `app:${name}`)
  const held = data?.scopes.map(({ scope }) => scope) ?? []
  return (
    <MultiSelect
      label={label}
      placeholder={value.length > 0 ? '' : placeholder}
      data={[...new Set([...value, ...held, ...(data?.staff ? [...scenarios, ...apps] : [])])]}
      value={value}
      onChange={onChange}
      disabled={disabled}
      searchable
      clearable
      limit={100}
    />
  )
}
