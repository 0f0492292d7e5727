/** Conditions of rules on facts of each type. */
import type { Fact } from '@/lib/facts'
import { valueText } from '@/lib/json'
import { ofValues, type FactType, type Operator } from '@/lib/vocabulary'
import { fact, type FactPart } from './rule'

/** Returns the operators for this fact, the usual one first; all of them for an undeclared fact. */
export function operatorsOf(known: Fact | undefined, all: readonly Operator[]): readonly Operator[] {
  return known ? known.type.operators.flatMap((each) => all.find(({ name }) => name === each) ?? []) : all
}

/** Returns a condition on a fact whose value is still missing. */
export function conditionOn(known: Fact, all: readonly Operator[]): FactPart {
  const operators = operatorsOf(known, all)
  const [usual] = operators
  const operator = known.values || !usual ? ofValues(operators) : usual
  return fact(known.name, operator, emptyValue(operator, known.type))
}

/** Changes the operator of a condition; values that still fit are kept. */
export function withOperator(part: FactPart, operator: Operator, type: FactType | undefined): FactPart {
  const { form } = operator.operand
  const scalars = scalarsOf(part)
  const [first] = scalars
  if (form === 'values') return { ...part, operator, value: scalars }
  if (form === 'bounds' || first === undefined) return { ...part, operator, value: emptyValue(operator, type) }
  if (form === 'value') return { ...part, operator, value: first }
  return { ...part, operator, value: valueText(first) }
}

/** Changes the fact of a condition; the operator stays if it fits. */
export function withFact(part: FactPart, known: Fact, all: readonly Operator[]): FactPart {
  const { operator, key } = part
  if (known.values || !known.type.operators.includes(operator.name)) return { ...conditionOn(known, all), key }
  return { ...part, fact: known.name, value: emptyValue(operator, known.type) }
}

/** Returns the entered values that may be values of a fact. */
function scalarsOf({ operator, value }: FactPart): unknown[] {
  if (Array.isArray(value)) return value
  return operator.operand.form === 'bounds' || operator.operand.form === 'notation' || value === '' ? [] : [value]
}

function emptyValue({ operand }: Operator, type: FactType | undefined): unknown {
  if (operand.form === 'values') return []
  if (operand.form === 'bounds') return {}
  return operand.form === 'value' && type?.json === 'boolean' ? true : ''
}

/** Parses the typed value of a fact: a number or boolean if the fact is one; otherwise the text itself. */
export function scalarOf(typed: string, type: FactType | undefined): string | number | boolean {
  const number = typed.trim() === '' ? Number.NaN : Number(typed)
  if (type?.json === 'number' && Number.isFinite(number)) return number
  if (type?.json === 'boolean' && (typed === 'true' || typed === 'false')) return typed === 'true'
  return typed
}
