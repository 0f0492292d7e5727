/**
 * A targeting rule as an editable tree: what docs/guides/targeting.md describes, with a key for each part.
 *
 * Parsing keeps every value as it is in the JSON, including invalid ones: the server reports their errors by the same
 * places (`rule.any[1].fact`). Only JSON of another shape than a rule cannot be parsed.
 */
import type { JsonObject } from '@/lib/json'
import type { Operator } from '@/lib/vocabulary'

type Keyed = { readonly key: number }
export type GroupPart = Keyed & { form: 'all' | 'any'; parts: Part[] }
export type NotPart = Keyed & { form: 'not'; part: Part }
export type FactPart = Keyed & { form: 'fact'; fact: string; operator: Operator; value: unknown }
export type ListPart = Keyed & { form: 'list'; name: string }
export type DevicesPart = Keyed & { form: 'devices'; ids: string[] }
export type Part = GroupPart | NotPart | FactPart | ListPart | DevicesPart

/** The JSON cannot be shown as a tree: `path` says where. */
export class Unreadable extends Error {
  constructor(
    readonly path: string,
    readonly expected: string,
  ) {
    super(`${path}: expected ${expected}`)
    this.name = 'Unreadable'
  }
}

let keys = 0
const newKey = () => ++keys

export const group = (form: 'all' | 'any', parts: Part[]): GroupPart => ({ key: newKey(), form, parts })
export const not = (part: Part): NotPart => ({ key: newKey(), form: 'not', part })
export const list = (name: string): ListPart => ({ key: newKey(), form: 'list', name })
export const devices = (ids: string[]): DevicesPart => ({ key: newKey(), form: 'devices', ids })
export function fact(name: string, operator: Operator, value: unknown): FactPart {
  return { key: newKey(), form: 'fact', fact: name, operator, value }
}

/** Parses a rule in JSON, with these operators; throws Unreadable. */
export function readRule(json: unknown, operators: readonly Operator[], path = 'rule'): Part {
  if (isObject(json)) {
    if ('fact' in json) return readFact(json, operators, path)
    const entries = Object.entries(json)
    const [form, value] = entries.length === 1 ? (entries[0] ?? []) : []
    if (form === 'all' || form === 'any') return group(form, readParts(value, operators, `${path}.${form}`))
    if (form === 'not') return not(readRule(value, operators, `${path}.not`))
    if (form === 'list' && typeof value === 'string') return list(value)
    if (form === 'devices' && isTexts(value)) return devices(value)
  }
  throw new Unreadable(path, 'an object with one of all, any, not, list, devices, or with fact and a test')
}

function readParts(value: unknown, operators: readonly Operator[], path: string): Part[] {
  if (!Array.isArray(value)) throw new Unreadable(path, 'a list of rules')
  return value.map((each: unknown, at) => readRule(each, operators, `${path}[${at}]`))
}

function readFact(json: JsonObject, operators: readonly Operator[], path: string): FactPart {
  const operator = operators.find(({ name }) => name in json)
  if (Object.keys(json).length !== 2 || operator === undefined || typeof json.fact !== 'string') {
    throw new Unreadable(path, `fact with exactly one of ${operators.map(({ name }) => name).join(', ')}`)
  }
  const value = json[operator.name]
  if (!fits(value, operator)) throw new Unreadable(`${path}.${operator.name}`, operator.operand.expected)
  return fact(json.fact, operator, value)
}

/** Returns whether a value has the shape that its input can show. */
function fits(value: unknown, { operand }: Operator): boolean {
  if (operand.form === 'values') return Array.isArray(value)
  return operand.form === 'bounds' ? isObject(value) : !isCompound(value)
}

function isObject(value: unknown): value is JsonObject {
  return isCompound(value) && !Array.isArray(value)
}

function isCompound(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string')
}

/** Returns the rule in the API's JSON. */
export function jsonOf(part: Part): JsonObject {
  switch (part.form) {
    case 'all':
    case 'any':
      return { [part.form]: part.parts.map(jsonOf) }
    case 'not':
      return { not: jsonOf(part.part) }
    case 'fact':
      return { fact: part.fact, [part.operator.name]: part.value }
    case 'list':
      return { list: part.name }
    case 'devices':
      return { devices: part.ids }
  }
}

/** Replaces the part with this key; null removes it, and a `not` that becomes empty. */
export function replaced(root: Part, key: number, by: Part | null): Part | null {
  if (root.key === key) return by
  if (root.form === 'not') {
    const part = replaced(root.part, key, by)
    return part === root.part ? root : part && { ...root, part }
  }
  if (root.form === 'all' || root.form === 'any') {
    const parts = root.parts.flatMap((part) => replaced(part, key, by) ?? [])
    return parts.length === root.parts.length && parts.every((part, at) => part === root.parts[at])
      ? root
      : { ...root, parts }
  }
  return root
}

/** Adds a part to this group. */
export function added(root: Part, to: number, part: Part): Part {
  const target = found(root, to)
  if (target?.form !== 'all' && target?.form !== 'any') return root
  return replaced(root, to, { ...target, parts: [...target.parts, part] }) ?? root
}

/** Negates this part, or removes the `not` around it. */
export function negated(root: Part, key: number): Part {
  const target = found(root, key)
  if (!target) return root
  const around = notAround(root, key)
  if (around) return replaced(root, around.key, target) ?? root
  return replaced(root, key, target.form === 'not' ? target.part : not(target)) ?? root
}

function notAround(root: Part, key: number): NotPart | null {
  if (root.form === 'not' && root.part.key === key) return root
  for (const part of partsOf(root)) {
    const below = notAround(part, key)
    if (below) return below
  }
  return null
}

/** Returns a rule to which conditions can be added. */
export function asGroup(root: Part): GroupPart {
  return root.form === 'all' || root.form === 'any' ? root : group('all', [root])
}

export function found(root: Part, key: number): Part | null {
  if (root.key === key) return root
  for (const part of partsOf(root)) {
    const below = found(part, key)
    if (below) return below
  }
  return null
}

function partsOf(part: Part): Part[] {
  if (part.form === 'not') return [part.part]
  return part.form === 'all' || part.form === 'any' ? part.parts : []
}

/** Returns which input is missing before the rule can be checked; null if none is. */
export function missing(part: Part): string | null {
  switch (part.form) {
    case 'all':
    case 'any':
      return part.parts.length === 0 ? 'Add a condition, or remove the group.' : null
    case 'list':
      return part.name === '' ? 'Choose a list.' : null
    case 'devices':
      return part.ids.length === 0 ? 'Enter ids, one per line.' : null
    case 'not':
      return null
    case 'fact':
      return isEmpty(part.value) ? part.operator.missing : null
  }
}

function isEmpty(value: unknown): boolean {
  return value === '' || (isCompound(value) && Object.keys(value).length === 0)
}

/** Returns whether any part of the rule is incomplete. */
export function isIncomplete(part: Part): boolean {
  return missing(part) !== null || partsOf(part).some(isIncomplete)
}
