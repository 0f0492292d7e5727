/** A targeting rule as one line of a list: its page has the whole of it. */
import { asList, asObject, asText } from './json'

/** "os android, ios and app_version at_least 2.0.0"; JSON for what has no words. */
export function ruleWords(rule: unknown): string {
  const { fact, ...test } = asObject(rule)
  const [[form, value] = ['', undefined]] = Object.entries(test)
  if (fact !== undefined) return factWords(asText(fact), form, value)
  if (form === 'all') return asList(value).map(nested).join(' and ')
  if (form === 'any') return asList(value).map(nested).join(' or ')
  if (form === 'not') return `not ${nested(value)}`
  if (form === 'list') return `list ${asText(value)}`
  return JSON.stringify(rule)
}

function nested(rule: unknown): string {
  const isGroup = Object.keys(asObject(rule)).some((form) => form === 'all' || form === 'any')
  return isGroup ? `(${ruleWords(rule)})` : ruleWords(rule)
}

function factWords(fact: string, operator: string, value: unknown): string {
  const values = [value].flat().map((each) => (typeof each === 'string' ? each : JSON.stringify(each)))
  return [fact, ...(operator === 'in' || operator === 'equals' ? [] : [operator]), values.join(', ')].join(' ')
}
