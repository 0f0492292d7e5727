/** The vocabulary of rules, from the server: fact types, operators, and the facts of every device. */
import type { Schemas } from '@/api/schemas'

export type Vocabulary = Schemas['RuleVocabulary']
export type FactType = Vocabulary['types'][number]
export type Operator = Vocabulary['operators'][number]

/** Returns the operator for a list of values. */
export function ofValues(operators: readonly Operator[]): Operator {
  const found = operators.find(({ operand }) => operand.form === 'values')
  if (!found) throw new Error('No operator takes a list of values.')
  return found
}
