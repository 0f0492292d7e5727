import { Button } from '@mantine/core'
import { Plus, X } from 'lucide-react'
import { useState } from 'react'
import { conditionsOf, withCondition, withoutFact } from './search'
import { Suggested } from '@/components/Suggested'
import type { Suggestions } from './useSuggestions'
import classes from './devices.module.css'

type Props = {
  where: string[] | undefined
  suggestions: Suggestions
  onChange: (where: string[] | undefined) => void
}

/** Adds a condition on any fact: declared ones are suggested, others may be typed. */
export function FactFilter({ where, suggestions, onChange }: Props) {
  const [fact, setFact] = useState('')
  const [value, setValue] = useState('')
  const about = suggestions.facts.find(({ name }) => name === fact)?.description
  const add = () => {
    onChange(withCondition(where, { fact, value }))
    setFact('')
    setValue('')
  }
  return (
    <form
      className={classes.group}
      onSubmit={(event) => {
        event.preventDefault()
        if (fact !== '') add()
      }}
    >
      <Suggested
        label="Other attribute"
        className={classes.field}
        placeholder="e.g. region"
        value={fact}
        suggestions={suggestions.facts.map(({ name }) => name)}
        onCommit={setFact}
      />
      <Suggested
        label={about === undefined ? 'is' : `is (${about})`}
        className={classes.field}
        value={value}
        suggestions={suggestions.valuesOf(fact)}
        onCommit={setValue}
      />
      <Button type="submit" variant="default" leftSection={<Plus size={14} />} disabled={fact === ''}>
        Add
      </Button>
    </form>
  )
}

/** The conditions in force, each with a button to remove it. */
export function Conditions({ where, onChange }: Pick<Props, 'where' | 'onChange'>) {
  return (
    <ul className={classes.conditions} aria-label="Conditions on attributes">
      {conditionsOf(where).map(({ fact, value }) => (
        <li key={fact} className={classes.condition}>
          <code>
            {fact} = {value}
          </code>
          <button
            type="button"
            className="icon-button"
            aria-label={`Remove ${fact} = ${value}`}
            onClick={() => onChange(withoutFact(where, fact))}
          >
            <X size={12} aria-hidden="true" />
          </button>
        </li>
      ))}
    </ul>
  )
}
