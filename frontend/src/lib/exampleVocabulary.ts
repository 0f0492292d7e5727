/** The vocabulary of rules from the recorded examples of the API, for tests. */
import recorded from '../../../walleweb/openapi_examples.json'
import type { FactType, Vocabulary } from './vocabulary'

export const VOCABULARY = recorded.get_rule_vocabulary.answer as Vocabulary

export function typeNamed(name: string): FactType {
  return found(VOCABULARY.types, name)
}

export function operatorNamed(name: string) {
  return found(VOCABULARY.operators, name)
}

function found<Row extends { name: string }>(rows: readonly Row[], name: string): Row {
  const row = rows.find((each) => each.name === name)
  if (!row) throw new Error(`There is no ${name}`)
  return row
}
