import { expect, test } from 'vitest'
import { operatorNamed, typeNamed, VOCABULARY } from '@/lib/exampleVocabulary'
import type { Fact } from '@/lib/facts'
import type { Operator } from '@/lib/vocabulary'
import { conditionOn, operatorsOf, scalarOf, withFact, withOperator } from './conditions'
import { fact as factWith, jsonOf, missing, readRule, type FactPart } from './rule'

const ALL = VOCABULARY.operators
const fact = (name: string, operator: string, value: unknown) => factWith(name, operatorNamed(operator), value)
const changed = (part: FactPart, operator: string, type?: string) =>
  withOperator(part, operatorNamed(operator), type === undefined ? undefined : typeNamed(type)).value
const known = ({ type = 'text', ...some }: Partial<Omit<Fact, 'type'>> & { type?: string }): Fact => ({
  name: 'f',
  type: typeNamed(type),
  values: null,
  known: [],
  description: '',
  ...some,
})

test.each([
  [known({}), 'in', []],
  [known({ type: 'version' }), 'version', ''],
  [known({ type: 'version', values: ['1.0.0'] }), 'in', []],
  [known({ type: 'number' }), 'range', {}],
  [known({ type: 'boolean' }), 'equals', true],
])('a condition begins with what is usual for its fact', (of, operator, value) => {
  expect(conditionOn(of, ALL)).toMatchObject({ fact: 'f', operator: { name: operator }, value })
})

test('another operator keeps what means the same there', () => {
  const one = fact('os', 'equals', 'android')
  expect(changed(one, 'in', 'text')).toEqual(['android'])
  expect(changed(one, 'prefix', 'text')).toBe('android')
  expect(changed(fact('os', 'in', ['ios', 'android']), 'equals', 'text')).toBe('ios')
  expect(changed(fact('os_version', 'version', '>=12'), 'in', 'version')).toEqual([])
  expect(changed(fact('memory', 'range', { at_least: 4 }), 'equals', 'number')).toBe('')
  expect(changed(fact('memory', 'in', [4]), 'glob')).toBe('4')
})

test('another fact keeps the operator where it may be asked for so, never the value', () => {
  const part = fact('os', 'prefix', 'and')
  expect(withFact(part, known({ name: 'region' }), ALL)).toEqual({ ...part, fact: 'region', value: '' })
  expect(withFact(part, known({ name: 'memory', type: 'number' }), ALL)).toMatchObject({
    operator: { name: 'range' },
    value: {},
  })
})

test('values are of the type of their fact, and otherwise as they were typed', () => {
  expect(scalarOf('4.5', typeNamed('number'))).toBe(4.5)
  expect(scalarOf('many', typeNamed('number'))).toBe('many')
  expect(scalarOf('4', typeNamed('text'))).toBe('4')
  expect(scalarOf('true', typeNamed('boolean'))).toBe(true)
  expect(scalarOf('', typeNamed('number'))).toBe('')
})

test('a fact that is not declared may be asked for in every way', () => {
  expect(operatorsOf(undefined, ALL)).toEqual(ALL)
  expect(operatorsOf(known({ type: 'boolean' }), ALL).map(({ name }) => name)).toEqual(['equals', 'in'])
})

test('what the server tells of is asked for, also what this dashboard never heard of', () => {
  const suffix: Operator = { ...operatorNamed('prefix'), name: 'suffix', words: 'ends with', example: 'Pro' }
  const colour = { ...known({}), name: 'case', type: { ...typeNamed('text'), operators: ['suffix', 'in'] } }
  const all = [...ALL, suffix]
  expect(operatorsOf(colour, all)).toEqual([suffix, operatorNamed('in')])
  const part = conditionOn(colour, all)
  expect(missing(part)).toBe(suffix.missing)
  expect(jsonOf({ ...part, value: 'red' })).toEqual({ fact: 'case', suffix: 'red' })
  expect(readRule({ fact: 'case', suffix: 'red' }, all)).toMatchObject({ operator: suffix, value: 'red' })
})
