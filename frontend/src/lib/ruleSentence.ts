/** A targeting rule as a sentence. What is not there yet, while it is written, is "…". */
import { audienceWords, EVERY_CALLER } from './audience'
import { plural } from './format'
import { asList, asObject, asText, valueText, type JsonObject } from './json'

/** Beyond so many values, their number is said. */
const LISTED = 5
const MISSING = '…'
/** The facts of every device: of these alone is known that they are known. */
const BUILT_IN: Readonly<Record<string, string>> = {
  app_version: 'app version',
  os: 'system',
  os_version: 'system version',
  performance: 'performance',
  region: 'region',
}
const SIGNS: Readonly<Record<string, string>> = {
  '>=': 'at least',
  '>': 'above',
  '<': 'below',
  '<=': 'at most',
  '==': '',
  '!=': 'other than',
}

/** "Devices whose system is android or ios and that are in the list testers."; of a pipeline, its callers. */
export function ruleSentence(rule: unknown, kind?: string): string {
  const { many, Many } = audienceWords(kind)
  const said = simplified(rule)
  if (isEverybody(said)) return `All ${many}.`
  if (isNobody(said)) return `No ${many}.`
  return isException(said) ? `All ${many} ${clause(said)}.` : `${Many} ${clause(said)}.`
}

/** Removes pairs of `not`, groups of one, and from `all` what is true of everybody. */
function simplified(rule: unknown): JsonObject {
  const { all, any, not, ...rest } = asObject(rule)
  if (not !== undefined) {
    const inner = simplified(not)
    return inner.not === undefined ? { not: inner } : asObject(inner.not)
  }
  if (all === undefined && any === undefined) return rest
  const parts = asList(all ?? any).map(simplified)
  const left = all === undefined ? parts : parts.filter((part) => !isEverybody(part))
  const [only, ...others] = left
  if (only !== undefined && others.length === 0) return only
  return all === undefined ? { any: left } : { all: left }
}

function isEverybody(rule: JsonObject): boolean {
  return (
    rule.fact === EVERY_CALLER.fact || isEmpty(rule.all) || (rule.not !== undefined && isNobody(asObject(rule.not)))
  )
}

function isNobody(rule: JsonObject): boolean {
  return isEmpty(rule.any) || (rule.not !== undefined && isEverybody(asObject(rule.not)))
}

function isEmpty(parts: unknown): boolean {
  return Array.isArray(parts) && parts.length === 0
}

function isGroup({ all, any }: JsonObject): boolean {
  return all !== undefined || any !== undefined
}

/** Returns whether the rule says only whom it does not match. */
function isException({ not, all }: JsonObject): boolean {
  if (not !== undefined) return isGroup(asObject(not))
  return all !== undefined && asList(all).every((part) => isException(asObject(part)))
}

/** What follows the noun: "whose region is eu, except those (…)". */
function clause(rule: JsonObject): string {
  const { all, any, not } = rule
  if (any !== undefined) return listed(asList(any).map(nested), 'or')
  if (all !== undefined) {
    const parts = asList(all).map(asObject)
    const which = parts.filter((part) => !isException(part)).map(nested)
    const exceptions = parts.filter(isException).map((part) => nested(asObject(part.not)))
    const except = exceptions.length > 0 ? [`except those ${listed(exceptions, 'and those')}`] : []
    return [...(which.length > 0 ? [listed(which, 'and')] : []), ...except].join(', ')
  }
  if (not === undefined) return condition(rule, true)
  const negated = asObject(not)
  return isGroup(negated) ? `except those ${clause(negated)}` : condition(negated, false)
}

function nested(rule: unknown): string {
  const part = asObject(rule)
  if (isEverybody(part)) return 'that are any'
  if (isException(part)) return `(all ${clause(part)})`
  return isGroup(part) ? `(${clause(part)})` : clause(part)
}

function condition(rule: JsonObject, holds: boolean): string {
  const { fact, list, devices, ...test } = rule
  const are = holds ? 'that are' : 'that are not'
  if (list !== undefined) return `${are} in the list ${asText(list) || MISSING}`
  if (devices !== undefined) return `whose id is ${holds ? '' : 'not '}${anyOf(asList(devices))}`
  const [[operator, operand] = ['', undefined]] = Object.entries(test)
  const known = BUILT_IN[asText(fact)]
  const values = [operand].flat()
  const isTruth = values.length > 0 && values.every((value) => typeof value === 'boolean')
  const tested = `${isTruth ? 'for which' : 'whose'} ${known ?? factName(asText(fact))} ${tests(operator, operand, holds)}`
  return holds || known !== undefined ? tested : `${tested} or is not known`
}

/** "user’s age band" of user.age_band. */
function factName(fact: string): string {
  return fact.replace(/^user\./, 'user’s ').replaceAll('_', ' ') || MISSING
}

function tests(operator: string, operand: unknown, holds: boolean): string {
  const is = holds ? 'is' : 'is not'
  switch (operator) {
    case 'in':
      return `${is} ${anyOf(asList(operand))}`
    case 'equals':
      return `${is} ${anyOf([operand])}`
    case 'version':
      return `${is} ${within(asText(operand).split(',').map(comparison), holds)}`
    case 'range':
      return `${is} ${within(Object.entries(asObject(operand)).map(bound), holds)}`
    case 'prefix':
      return `${holds ? 'begins' : 'does not begin'} with ${quoted(operand)}`
    case 'glob':
      return `${is} like ${quoted(operand)}`
    default:
      return `${is} ${operator} ${valueText(operand)}`
  }
}

function within(bounds: readonly string[], holds: boolean): string {
  const all = listed(bounds, 'and') || MISSING
  return holds || bounds.length < 2 ? all : `both ${all}`
}

/** "at least 1.2" of ">=1.2". */
function comparison(text: string): string {
  const [, sign = '', version = ''] = /^\s*([<>=!]*)\s*(.*?)\s*$/.exec(text) ?? []
  return [SIGNS[sign] ?? sign, version].filter(Boolean).join(' ')
}

/** "at least 4" of at_least 4. */
function bound([name, value]: [string, unknown]): string {
  return `${name.replaceAll('_', ' ')} ${valueText(value)}`
}

function anyOf(values: readonly unknown[]): string {
  const [most, rest] = [values.slice(0, LISTED), values.length - LISTED]
  const said = most.map((value) => (value === '' ? quoted(value) : valueText(value)))
  return listed(rest > 0 ? [...said, plural(rest, 'other')] : said, 'or') || MISSING
}

function quoted(text: unknown): string {
  return `“${asText(text)}”`
}

/** "a, b and c" */
function listed(parts: readonly string[], word: string): string {
  const last = parts.at(-1) ?? ''
  return parts.length < 2 ? last : `${parts.slice(0, -1).join(', ')} ${word} ${last}`
}
