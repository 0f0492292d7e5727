/** How rules ask for facts of each type. */
import type { Fact, FactType } from '@/lib/facts'
import { valueText } from '@/lib/untyped'
import { fact, type FactPart, type Operator } from './rule'

const OPERATORS: Record<FactType, readonly Operator[]> = {
  text: ['in', 'equals', 'prefix', 'glob'],
  version: ['version', 'in', 'equals', 'prefix', 'glob'],
  number: ['range', 'in', 'equals'],
  boolean: ['equals', 'in'],
}

export const OPERATOR_WORDS: Record<Operator, string> = {
  in: 'is one of',
  equals: 'is',
  version: 'is a version',
  range: 'is between',
  prefix: 'begins with',
  glob: 'is like',
}

/** How this fact may be asked for; one that is not declared in every way. */
export function operatorsOf(known: Fact | undefined): readonly Operator[] {
  return known ? OPERATORS[known.type] : (Object.keys(OPERATOR_WORDS) as Operator[])
}

/** A condition about a fact that is still to be filled in. */
export function conditionOn(known: Fact): FactPart {
  const operator = known.values ? 'in' : (OPERATORS[known.type][0] ?? 'equals')
  return fact(known.name, operator, emptyValue(operator, known.type))
}

/** The condition with another operator: what was said is kept as far as it means something there. */
export function withOperator(part: FactPart, operator: Operator, type: FactType | undefined): FactPart {
  const scalars = scalarsOf(part)
  const [first] = scalars
  if (operator === 'in') return { ...part, operator, value: scalars }
  if (operator === 'range' || first === undefined) return { ...part, operator, value: emptyValue(operator, type) }
  if (operator === 'equals') return { ...part, operator, value: first }
  return { ...part, operator, value: valueText(first) }
}

/** The condition about another fact; the operator stays where that fact may be asked for so. */
export function withFact(part: FactPart, known: Fact): FactPart {
  const operator = operatorsOf(known).includes(part.operator) && !known.values ? part.operator : null
  const fresh = conditionOn(known)
  if (operator === null) return { ...fresh, key: part.key }
  return { ...fresh, key: part.key, operator, value: emptyValue(operator, known.type) }
}

function scalarsOf(part: FactPart): unknown[] {
  if (Array.isArray(part.value)) return part.value
  const said = part.operator === 'range' || part.operator === 'version' || part.value === '' ? [] : [part.value]
  return said
}

function emptyValue(operator: Operator, type: FactType | undefined): unknown {
  if (operator === 'in') return []
  if (operator === 'range') return {}
  return operator === 'equals' && type === 'boolean' ? true : ''
}

/** What was typed as the value of a fact: a number or boolean where the fact is one; otherwise the text itself. */
export function scalarOf(typed: string, type: FactType | undefined): string | number | boolean {
  const number = typed.trim() === '' ? Number.NaN : Number(typed)
  if (type === 'number' && Number.isFinite(number)) return number
  if (type === 'boolean' && (typed === 'true' || typed === 'false')) return typed === 'true'
  return typed
}
