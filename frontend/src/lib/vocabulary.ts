/** What rules can say of facts, as the server tells it: its types of facts, operators, and the facts that every device has. */
import type { Schemas } from '@/api/schemas'

export type Vocabulary = Schemas['RuleVocabulary']
export type FactType = Vocabulary['types'][number]
export type Operator = Vocabulary['operators'][number]

/** The operator that takes a list of values. */
export function ofValues(operators: readonly Operator[]): Operator {
  const found = operators.find(({ operand }) => operand.form === 'values')
  if (!found) throw new Error('No operator takes a list of values.')
  return found
}
