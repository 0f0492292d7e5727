/** Facts of devices for rules and filters, and their possible values. */
import type { RowOf } from '@/api/reading'
import type { Schemas } from '@/api/schemas'
import { valueText } from './json'
import type { FactType, Vocabulary } from './vocabulary'

type Declared = RowOf<'/api/v1/apps/{app}/facts'>

export type Fact = {
  name: string
  type: FactType
  description: string
  /** All possible values; null: any. */
  values: readonly string[] | null
  /** Some values that devices have. */
  known: readonly string[]
}

/** Returns the facts of every device, and those that the app declares; known values come from the fleet's counts. */
export function factsOf(
  { types, facts }: Vocabulary,
  declared: readonly Declared[],
  counted: Schemas['Devices'] | undefined,
): Fact[] {
  const { app_versions: versions, systems } = counted ?? {}
  const known = new Map([
    ['app_version', distinct(versions, 'app_version')],
    ['os', distinct(systems, 'os')],
    ['os_version', distinct(systems, 'os_version')],
  ])
  const typed = <Row extends { type: string }>(row: Row) => {
    const type = types.find(({ name }) => name === row.type)
    return type ? [{ ...row, type }] : []
  }
  return [
    ...facts.flatMap(typed).map((fact) => ({ ...fact, known: known.get(fact.name) ?? [] })),
    ...declared.map(factDeclared).flatMap(typed),
  ]
}

function factDeclared({ name, type, source, description, values }: Declared) {
  const by = source === 'user' ? 'about the user' : 'reported by the device'
  const texts = Array.isArray(values) ? values.map(String) : []
  return {
    name,
    type,
    description: description || `${type}, ${by}`,
    values: texts.length > 0 ? texts : null,
    known: [],
  }
}

/** Returns the possible values of a fact; null: any. */
export function valuesOf(fact: Fact | undefined): readonly string[] | null {
  return fact?.type.json === 'boolean' ? ['true', 'false'] : (fact?.values ?? null)
}

function distinct<Name extends string>(rows: readonly Record<Name, string>[] | undefined, name: Name): string[] {
  const texts = new Set((rows ?? []).map((row) => row[name]))
  texts.delete('')
  return [...texts].sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))
}

type FactValues = Readonly<Record<string, unknown>>

/** Returns a fact that the device reports; '' if it does not. */
export function factText(facts: FactValues, name: string): string {
  return facts[name] === undefined ? '' : valueText(facts[name])
}

/** "android 14" */
export function systemText(facts: FactValues): string {
  return `${factText(facts, 'os')} ${factText(facts, 'os_version')}`.trim()
}
