import { expect, test } from 'vitest'
import { ApiProblem } from '@/api/problem'
import { faultsAt, faultsIn, sentence, stepOf } from './faults'

const refusal = (errors: { field: string; detail: string }[]) =>
  new ApiProblem({ title: 'Bad Request', status: 400, code: 'invalid', errors })

test('faults are known by the place in their text, others by their field', () => {
  const faults = faultsIn(
    refusal([
      { field: 'rule', detail: 'rule.any[1].fact: expected a declared fact: os, region' },
      { field: 'strategy', detail: 'strategy.stages[1].percent: expected more than the 1.0 before' },
      { field: 'strategy', detail: 'market has no id list testers' },
      { field: 'version', detail: 'camera/digits 1.3.0 is in quarantine (rolled back: why): release another' },
    ]),
  )
  expect(faults.map(({ path }) => path)).toEqual([
    'rule.any[1].fact',
    'strategy.stages[1].percent',
    'strategy',
    'version',
  ])
  expect(faults.map(stepOf)).toEqual(['devices', 'stages', 'stages', 'version'])
  expect(faults[1] && sentence(faults[1])).toBe('Expected more than the 1.0 before.')
})

test('what was refused for something else has no faults', () => {
  expect(faultsIn(new ApiProblem({ title: 'Forbidden', status: 403, code: 'not-allowed' }))).toEqual([])
  expect(faultsIn(new Error('x'))).toEqual([])
})

test('faults at a place are those of it and below', () => {
  const at = (path: string) => ({ path, expected: '' })
  const faults = [at('rule.all[1]'), at('rule.all[1].fact'), at('rule.all[10].fact'), at('rule.all')]
  expect(faultsAt(faults, 'rule.all[1]').map(({ path }) => path)).toEqual(['rule.all[1]', 'rule.all[1].fact'])
  expect(faultsAt(faults, 'rule')).toHaveLength(4)
})
