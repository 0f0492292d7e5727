import { expect, test } from 'vitest'
import { backendsText, choicesOf, refusalsOf, type ModelPlan } from './models'

const backend = (name: string, needs: string, run_ms: number) => ({ backend: name, needs, run_ms, start_ms: 20 })
const of = (...names: [string, string][]) => ({
  performance: 'low',
  backends: names.map(([name, needs], at) => backend(name, needs, at + 1)),
  refused: { torch: ['node a: no function', 'node b: no function'] },
})

test('a device looks for backends up to our own kernels, which it has', () => {
  const found = choicesOf(of(['mnn', 'MNN'], ['walle', 'numpy'], ['torch', 'torch']))
  expect(found).toEqual([
    { backend: 'mnn', where: 'where the app has MNN', times: '1 ms a run, 20 ms to start' },
    { backend: 'walle', where: 'on every device', times: '2 ms a run, 20 ms to start' },
  ])
})

test('without own kernels all others are looked for', () => {
  expect(choicesOf(of(['mnn', 'MNN'], ['torch', 'torch']))).toHaveLength(2)
})

test('backends that cannot run a model say why', () => {
  expect(refusalsOf({ classes: [of()] } as unknown as ModelPlan)).toEqual([
    'torch: node a: no function; node b: no function',
  ])
  expect(refusalsOf({ classes: [] } as unknown as ModelPlan)).toEqual([])
})

test('what ran models is told with the share of all runs', () => {
  const model_backends = [
    { backend: 'mnn', runs: 15 },
    { backend: 'walle', runs: 3 },
  ]
  expect(backendsText({ runs: 20, model_backends })).toBe('mnn 75 %, walle 15 %')
  expect(backendsText({ runs: 20, model_backends: [] })).toBe('')
})
