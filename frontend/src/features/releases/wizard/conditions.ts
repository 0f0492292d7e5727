/** How rules ask for facts of each type. */
import type { Fact } from '@/lib/facts'
import { valueText } from '@/lib/json'
import { ofValues, type FactType, type Operator } from '@/lib/vocabulary'
import { fact, type FactPart } from './rule'

/** How this fact may be asked for, the usual operator first; one that is not declared in every way. */
export function operatorsOf(known: Fact | undefined, all: readonly Operator[]): readonly Operator[] {
  return known ? known.type.operators.flatMap((each) => all.find(({ name }) => name === each) ?? []) : all
}

/** A condition about a fact that is still to be filled in. */
export function conditionOn(known: Fact, all: readonly Operator[]): FactPart {
  const operators = operatorsOf(known, all)
  const [usual] = operators
  const operator = known.values || !usual ? ofValues(operators) : usual
  return fact(known.name, operator, emptyValue(operator, known.type))
}

/** The condition with another operator: what was said is kept as far as it means something there. */
export function withOperator(part: FactPart, operator: Operator, type: FactType | undefined): FactPart {
  const { form } = operator.operand
  const scalars = scalarsOf(part)
  const [first] = scalars
  if (form === 'values') return { ...part, operator, value: scalars }
  if (form === 'bounds' || first === undefined) return { ...part, operator, value: emptyValue(operator, type) }
  if (form === 'value') return { ...part, operator, value: first }
  return { ...part, operator, value: valueText(first) }
}

/** The condition about another fact; the operator stays where that fact may be asked for so. */
export function withFact(part: FactPart, known: Fact, all: readonly Operator[]): FactPart {
  const { operator, key } = part
  if (known.values || !known.type.operators.includes(operator.name)) return { ...conditionOn(known, all), key }
  return { ...part, fact: known.name, value: emptyValue(operator, known.type) }
}

/** What was said that may be a value of a fact. */
function scalarsOf({ operator, value }: FactPart): unknown[] {
  if (Array.isArray(value)) return value
  return operator.operand.form === 'bounds' || operator.operand.form === 'notation' || value === '' ? [] : [value]
}

function emptyValue({ operand }: Operator, type: FactType | undefined): unknown {
  if (operand.form === 'values') return []
  if (operand.form === 'bounds') return {}
  return operand.form === 'value' && type?.json === 'boolean' ? true : ''
}

/** What was typed as the value of a fact: a number or boolean where the fact is one; otherwise the text itself. */
export function scalarOf(typed: string, type: FactType | undefined): string | number | boolean {
  const number = typed.trim() === '' ? Number.NaN : Number(typed)
  if (type?.json === 'number' && Number.isFinite(number)) return number
  if (type?.json === 'boolean' && (typed === 'true' || typed === 'false')) return typed === 'true'
  return typed
}
