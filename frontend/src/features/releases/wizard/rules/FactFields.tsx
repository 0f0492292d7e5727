import { MultiSelect, NativeSelect, NumberInput, Select, TagsInput, TextInput } from '@mantine/core'
import { withChosen } from '@/lib/choices'
import { valuesOf, type Fact } from '@/lib/facts'
import { valueText } from '@/lib/untyped'
import { operatorsOf, OPERATOR_WORDS, scalarOf, withFact, withOperator } from '../conditions'
import { faultsAt } from '../faults'
import { BOUNDS, type FactPart, type Operator } from '../rule'
import type { PartProps } from './RulePart'
import classes from '../wizard.module.css'

/** A condition on a fact: which, how, and with what it is compared. */
export function FactFields({ part, path, faults, audience, actions }: PartProps<FactPart>) {
  const known = audience.facts.find(({ name }) => name === part.fact)
  const names = audience.facts.map(({ name }) => name)
  const operators = operatorsOf(known)
  const shown = operators.includes(part.operator) ? operators : [...operators, part.operator]
  const wrong = faultsAt(faults, path).length > 0
  return (
    <>
      <Select
        aria-label="Fact"
        className={classes.fact}
        searchable
        allowDeselect={false}
        data={withChosen(names, part.fact)}
        value={part.fact}
        error={faultsAt(faults, `${path}.fact`).length > 0}
        onChange={(name) => {
          const chosen = audience.facts.find((fact) => fact.name === name)
          if (chosen) actions.set(withFact(part, chosen))
        }}
      />
      <NativeSelect
        aria-label="How it is compared"
        className={classes.form}
        data={shown.map((operator) => ({ value: operator, label: OPERATOR_WORDS[operator] }))}
        value={part.operator}
        onChange={(event) => actions.set(withOperator(part, event.currentTarget.value as Operator, known?.type))}
      />
      <Value part={part} known={known} wrong={wrong} set={(value) => actions.set({ ...part, value })} />
    </>
  )
}

type ValueProps = { part: FactPart; known: Fact | undefined; wrong: boolean; set: (value: unknown) => void }

function Value(props: ValueProps) {
  const { part, known } = props
  if (part.operator === 'in') return <Values {...props} />
  if (part.operator === 'range') return <Bounds {...props} />
  if (part.operator === 'equals' && valuesOf(known)) return <OneOfKnown {...props} />
  return <OneText {...props} />
}

const PLACEHOLDERS: Record<Operator, string> = {
  in: 'Type a value, then Enter',
  equals: 'Value',
  version: '>=1.2, <2',
  range: '',
  prefix: 'Pixel',
  glob: 'SM-G99?*',
}

function OneText({ part, known, wrong, set }: ValueProps) {
  const typed = (text: string) => (part.operator === 'equals' ? scalarOf(text, known?.type) : text)
  return (
    <TextInput
      aria-label="Value"
      className={classes.value}
      placeholder={PLACEHOLDERS[part.operator]}
      value={valueText(part.value)}
      error={wrong}
      onChange={(event) => set(typed(event.currentTarget.value))}
    />
  )
}

function OneOfKnown({ part, known, wrong, set }: ValueProps) {
  const value = valueText(part.value)
  return (
    <Select
      aria-label="Value"
      className={classes.value}
      placeholder="Choose a value"
      searchable
      data={withChosen(valuesOf(known) ?? [], value)}
      value={value || null}
      error={wrong}
      onChange={(chosen) => set(scalarOf(chosen ?? '', known?.type))}
    />
  )
}

function Values({ part, known, wrong, set }: ValueProps) {
  const values = (Array.isArray(part.value) ? part.value : []).map(valueText)
  const all = valuesOf(known)
  const shared = {
    'aria-label': 'Values',
    className: classes.value,
    classNames: { inputField: classes.typed },
    value: values,
    error: wrong,
    onChange: (chosen: string[]) => set(chosen.map((each) => scalarOf(each, known?.type))),
  }
  if (all) {
    const data = [...new Set([...all, ...values])]
    return <MultiSelect {...shared} placeholder={values.length > 0 ? '' : 'Choose values'} searchable data={data} />
  }
  return (
    <TagsInput
      {...shared}
      placeholder={values.length > 0 ? '' : PLACEHOLDERS.in}
      data={[...(known?.known ?? [])]}
      acceptValueOnBlur
    />
  )
}

const BOUND_WORDS: Record<(typeof BOUNDS)[number], string> = {
  at_least: 'at least',
  above: 'above',
  below: 'below',
  at_most: 'at most',
}

function Bounds({ part, wrong, set }: ValueProps) {
  const bounds = part.value as Record<string, unknown>
  const change = (name: string, amount: string | number) => {
    const others = Object.entries(bounds).filter(([other]) => other !== name)
    set(Object.fromEntries(amount === '' ? others : [...others, [name, amount]]))
  }
  return (
    <span className={classes.bounds}>
      {BOUNDS.map((name) => {
        const amount = bounds[name]
        return (
          <NumberInput
            key={name}
            aria-label={BOUND_WORDS[name]}
            placeholder={BOUND_WORDS[name]}
            hideControls
            value={typeof amount === 'number' || typeof amount === 'string' ? amount : ''}
            error={wrong}
            onChange={(typed) => change(name, typed)}
          />
        )
      })}
    </span>
  )
}
