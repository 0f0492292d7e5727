import { MultiSelect, NativeSelect, NumberInput, Select, TagsInput, TextInput } from '@mantine/core'
import { EVERY_CALLER } from '@/lib/audience'
import { withChosen } from '@/lib/choices'
import { valuesOf, type Fact } from '@/lib/facts'
import { asText, valueText } from '@/lib/json'
import { operatorsOf, scalarOf, withFact, withOperator } from '../conditions'
import { faultsAt } from '../faults'
import type { FactPart } from '../rule'
import type { PartProps } from './RulePart'
import classes from './ruleFields.module.css'

/** The inputs of a condition on a fact: the fact, the operator, the operand. */
export function FactFields({ part, path, faults, audience, actions }: PartProps<FactPart>) {
  const known = audience.facts.find(({ name }) => name === part.fact)
  const names = audience.facts.map(({ name }) => name)
  const operators = operatorsOf(known, audience.operators)
  const shown = operators.includes(part.operator) ? operators : [...operators, part.operator]
  const wrong = faultsAt(faults, path).length > 0
  if (part.fact === EVERY_CALLER.fact && part.value === EVERY_CALLER.equals) return <strong>Every caller</strong>
  return (
    <>
      <Select
        aria-label="Attribute"
        className={classes.fact}
        searchable
        allowDeselect={false}
        data={withChosen(names, part.fact)}
        value={part.fact}
        error={faultsAt(faults, `${path}.fact`).length > 0}
        onChange={(name) => {
          const chosen = audience.facts.find((fact) => fact.name === name)
          if (chosen) actions.set(withFact(part, chosen, audience.operators))
        }}
      />
      <NativeSelect
        aria-label="How it is compared"
        className={classes.form}
        data={shown.map(({ name, words }) => ({ value: name, label: words }))}
        value={part.operator.name}
        onChange={(event) => {
          const chosen = shown.find(({ name }) => name === event.currentTarget.value)
          if (chosen) actions.set(withOperator(part, chosen, known?.type))
        }}
      />
      <Value part={part} known={known} wrong={wrong} set={(value) => actions.set({ ...part, value })} />
    </>
  )
}

type ValueProps = { part: FactPart; known: Fact | undefined; wrong: boolean; set: (value: unknown) => void }

function Value(props: ValueProps) {
  const { part, known } = props
  const { form } = part.operator.operand
  if (form === 'values') return <Values {...props} />
  if (form === 'bounds') return <Bounds {...props} />
  if (form === 'value' && valuesOf(known)) return <OneOfKnown {...props} />
  return <OneText {...props} />
}

function OneText({ part, known, wrong, set }: ValueProps) {
  const isValue = part.operator.operand.form === 'value'
  const typed = (text: string) => (isValue ? scalarOf(text, known?.type) : text)
  return (
    <TextInput
      aria-label="Value"
      className={classes.value}
      placeholder={isValue ? 'Value' : asText(part.operator.example)}
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
      placeholder={values.length > 0 ? '' : 'Type a value, then Enter'}
      data={[...(known?.known ?? [])]}
      acceptValueOnBlur
    />
  )
}

function Bounds({ part, wrong, set }: ValueProps) {
  const bounds = part.value as Record<string, unknown>
  const change = (name: string, amount: string | number) => {
    const others = Object.entries(bounds).filter(([other]) => other !== name)
    set(Object.fromEntries(amount === '' ? others : [...others, [name, amount]]))
  }
  return (
    <span className={classes.bounds}>
      {part.operator.operand.bounds.map(({ name, words }) => {
        const amount = bounds[name]
        return (
          <NumberInput
            key={name}
            aria-label={words}
            placeholder={words}
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
