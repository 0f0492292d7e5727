import { expect, test } from 'vitest'
import type { Fact } from '@/lib/facts'
import { conditionOn, operatorsOf, scalarOf, withFact, withOperator } from './conditions'
import { fact } from './rule'

const known = (some: Partial<Fact>): Fact => ({
  name: 'f',
  type: 'text',
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
  expect(conditionOn(of)).toMatchObject({ fact: 'f', operator, value })
})

test('another operator keeps what means the same there', () => {
  const one = fact('os', 'equals', 'android')
  expect(withOperator(one, 'in', 'text').value).toEqual(['android'])
  expect(withOperator(one, 'prefix', 'text').value).toBe('android')
  expect(withOperator(fact('os', 'in', ['ios', 'android']), 'equals', 'text').value).toBe('ios')
  expect(withOperator(fact('os_version', 'version', '>=12'), 'in', 'version').value).toEqual([])
  expect(withOperator(fact('memory', 'range', { at_least: 4 }), 'equals', 'number').value).toBe('')
  expect(withOperator(fact('memory', 'in', [4]), 'glob', undefined).value).toBe('4')
})

test('another fact keeps the operator where it may be asked for so, never the value', () => {
  const part = fact('os', 'prefix', 'and')
  expect(withFact(part, known({ name: 'region' }))).toEqual({ ...part, fact: 'region', value: '' })
  expect(withFact(part, known({ name: 'memory', type: 'number' }))).toMatchObject({ operator: 'range', value: {} })
})

test('values are of the type of their fact, and otherwise as they were typed', () => {
  expect(scalarOf('4.5', 'number')).toBe(4.5)
  expect(scalarOf('many', 'number')).toBe('many')
  expect(scalarOf('4', 'text')).toBe('4')
  expect(scalarOf('true', 'boolean')).toBe(true)
  expect(scalarOf('', 'number')).toBe('')
})

test('a fact that is not declared may be asked for in every way', () => {
  expect(operatorsOf(undefined)).toHaveLength(6)
  expect(operatorsOf(known({ type: 'boolean' }))).toEqual(['equals', 'in'])
})
